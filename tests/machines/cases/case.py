"""A case of the contract: plain PyTorch code and CUDA's answer to it.

This module imports only torch and the standard library, so the table also runs where only torch and
pytest are installed. The expected answers come from PyTorch's documentation, from its sources, or
from the same code on the CPU; none was taken from the simulator.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

FOREIGN = {"NotSimulatedError", "InvalidSettingError"}  # errors that torch never raises


@dataclass(frozen=True)
class Refusal:
    """An error that CUDA raises: a pattern that its text must contain, and its type."""

    pattern: str
    error: str = "RuntimeError"


ORDINAL = Refusal(r"CUDA error: invalid device ordinal", "AcceleratorError")


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        action: Plain torch code; returns what ``plain`` can convert.
        expected: The answer, a ``Refusal``, or a function that finds the answer on the CPU.
        gpus: The number of devices that it needs.
        fresh: Whether it must run in a process that has not used CUDA yet.
    """

    name: str
    action: Callable[[], object]
    expected: object
    gpus: int
    fresh: bool


CASES: dict[str, Case] = {}


def row(
    expected: object, action: Callable[[], object], *, gpus: int = 1, fresh: bool = False
) -> Callable[[str], Case]:
    """Return a row that has no name yet."""
    return lambda name: Case(name, action, expected, gpus, fresh)


def row_as_on_cpu(action: Callable[[str], object]) -> Callable[[str], Case]:
    """Return a row of an action of a device: on ``cuda`` it must answer as on the CPU."""
    return row(lambda: action("cpu"), lambda: action("cuda"))


def table(module: str, **rows: Callable[[str], Case]) -> None:
    """Add rows, by their names, to the table."""
    for name, named in rows.items():
        full_name = f"{module.rpartition('.')[2]}.{name}"
        assert full_name not in CASES, full_name
        CASES[full_name] = named(full_name)


def case(expected: object, **options: Any) -> Callable[[Callable[[], object]], None]:
    """Add a function to the table, with CUDA's answer and the options of a ``row``."""

    def add(action: Callable[[], object]) -> None:
        table(action.__module__, **{action.__name__: row(expected, action, **options)})

    return add


def as_on_cpu(action: Callable[[str], object]) -> None:
    """Add a function of a device to the table, as ``row_as_on_cpu`` does."""
    table(action.__module__, **{action.__name__: row_as_on_cpu(action)})


def devices(*tensors: torch.Tensor) -> list[torch.device]:
    return [x.device for x in tensors]


def placed(*tensors: torch.Tensor) -> list[object]:
    """The device and the values of each tensor, one after another."""
    return [value for x in tensors for value in (x.device, x)]


def typed(*tensors: torch.Tensor) -> list[object]:
    """The device and the dtype of each tensor, one after another."""
    return [value for x in tensors for value in (x.device, x.dtype)]


def plain(value: object) -> object:
    """A tensor's values, or the name of a device or dtype: JSON knows neither."""
    return value.tolist() if isinstance(value, torch.Tensor) else str(value)


def answer(action: Callable[[], object]) -> Any:
    """Run an action; return its value, or the error's type and text, as JSON data."""
    torch.manual_seed(0)
    try:
        return json.loads(json.dumps(action(), default=plain))
    except Exception as error:
        if type(error).__name__ in FOREIGN:
            raise
        return {"error": type(error).__name__, "text": str(error)}


def expected_answer(row: Case) -> Any:
    """Return the expected answer of a row; a function is run on the CPU."""
    return answer(row.expected) if callable(row.expected) else row.expected


def agrees(given: Any, expected: Any) -> bool:
    """Compare an answer with the expected one: floats to five digits, errors by pattern."""
    if isinstance(expected, Refusal):
        return (
            isinstance(given, dict)
            and given.get("error") == expected.error
            and re.search(expected.pattern, given["text"], re.DOTALL) is not None
        )
    if isinstance(expected, bool) or isinstance(given, bool):
        return given is expected
    if isinstance(expected, int | float) and isinstance(given, int | float):
        return abs(given - expected) <= 1e-5 * max(1.0, abs(expected))
    if isinstance(expected, list | tuple):
        return (
            isinstance(given, list)
            and len(given) == len(expected)
            and all(map(agrees, given, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(given, dict)
            and given.keys() == expected.keys()
            and all(agrees(given[key], expected[key]) for key in expected)
        )
    return bool(given == expected)
