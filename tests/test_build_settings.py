"""Plain TOML values become settings: ids, tables and lists turn into what the fields ask for."""

import sys
from dataclasses import dataclass
from enum import StrEnum, unique
from types import ModuleType

import pytest

from playground import catalog
from playground.compute.settings import Settings
from playground.errors import InvalidSettingError
from playground.machines.machine import Machine, MachineKind

MODULE = "playground.lessons.sample.records"


@unique
class Operation(StrEnum):
    ADD = "add"
    MATMUL = "matmul"


@dataclass(frozen=True, slots=True, kw_only=True)
class Combine(Settings[str]):
    machine: Machine = Machine()
    operation: Operation = Operation.MATMUL
    widths: tuple[int, ...] = (20, 256)
    pair: tuple[Operation, float] = (Operation.ADD, 0.5)
    scale: float = 1.0
    label: str | None = None
    is_fast: bool = False
    rows: int = 2


@pytest.fixture(autouse=True)
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType(MODULE)
    monkeypatch.setattr(Combine, "__module__", MODULE)
    monkeypatch.setitem(module.__dict__, "Combine", Combine)
    monkeypatch.setitem(module.__dict__, "Settings", Settings)
    module.__dict__.update(Machine=Machine, Operation=Operation)
    monkeypatch.setitem(sys.modules, MODULE, module)


def test_no_values_give_the_defaults() -> None:
    assert catalog.build_settings("sample", "Combine", {}) == Combine()


def test_every_kind_of_value_is_converted() -> None:
    values = {
        "machine": {"kind": "real", "gpus": 4, "memory_gib": 16},
        "operation": "add",
        "widths": [20, 10],
        "pair": ["matmul", 2],
        "scale": 3,
        "label": "x",
        "is_fast": True,
        "rows": 7,
    }

    built = catalog.build_settings("sample", "Combine", values)

    assert built == Combine(
        machine=Machine(kind=MachineKind.REAL, gpus=4, memory_gib=16.0),
        operation=Operation.ADD,
        widths=(20, 10),
        pair=(Operation.MATMUL, 2.0),
        scale=3.0,
        label="x",
        is_fast=True,
        rows=7,
    )
    assert isinstance(built, Combine)
    assert isinstance(built.operation, Operation)
    assert isinstance(built.scale, float)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("operation", "subtract"),
        ("rows", "many"),
        ("rows", True),
        ("rows", 1.5),
        ("is_fast", 1),
        ("widths", [20, "wide"]),
        ("pair", ["add"]),
        ("label", 3),
        ("colour", "red"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_its_field(field: str, given: object) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        catalog.build_settings("sample", "Combine", {field: given})

    assert refused.value.field == field


def test_a_bad_machine_is_refused_by_the_machine_itself() -> None:
    with pytest.raises(InvalidSettingError) as refused:
        catalog.build_settings("sample", "Combine", {"machine": {"gpus": 99}})

    assert (refused.value.key, refused.value.field) == ("bounds", "gpus")


def test_only_classes_of_the_lesson_itself_are_its_settings() -> None:
    assert dict(catalog.settings_classes("sample")) == {"Combine": Combine}
    with pytest.raises(KeyError):
        catalog.build_settings("sample", "Settings", {})
