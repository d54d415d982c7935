import dataclasses
import pickle
import types
import typing
from enum import Enum, EnumType, StrEnum, unique
from typing import ClassVar

import pytest

from playground import catalog
from playground.compute.settings import Bounds, Conditions, Settings, check_within
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.machines import DeviceName, Machine, MachineKind
from playground.modules.spec import Layer
from playground.steps import load_step

UNIONS = (types.UnionType, typing.Union)
REAL = Machine(kind=MachineKind.REAL)
SETTINGS = [load_step(each.name, step.id) for each in catalog.lessons() for step in each.steps]
FIELDS = [(kind, field) for kind in (Machine, *SETTINGS) for field in dataclasses.fields(kind)]
JUNK = [
    *(None, True, 1.5, float("nan"), float("inf"), -1, 10**30, 10**400),
    *("x", "", "é", "cuda:01", "cuda:٣", "cuda:0\n", b"0", b"cpu", [], {}, object(), int),
]
PLAIN = (int, float, bool, str, Enum, Machine, Layer, tuple, type(None))


@unique
class Flavour(StrEnum):
    SWEET = "sweet"
    SOUR = "sour"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Menu(Settings[None]):
    flavours: tuple[Flavour, ...] = tuple(Flavour)


def build(kind, values):
    try:
        return kind(**values), None
    except (InvalidSettingError, InvalidSpecError) as refusal:
        return None, refusal


def is_of_type(value, kind):
    """Return whether a value has the type of a field; the items of a tuple are not checked."""
    kinds = typing.get_args(kind) if typing.get_origin(kind) in UNIONS else (kind,)
    return any(isinstance(value, typing.get_origin(each) or each) for each in kinds)


@pytest.mark.parametrize(("kind", "field"), FIELDS)
@pytest.mark.parametrize("is_real", [False, True])
def test_junk_is_refused_by_its_field_or_is_a_value_of_its_type(kind, field, is_real):
    names = {each.name for each in dataclasses.fields(kind)}
    others = {"machine": REAL} if is_real and "machine" in names - {field.name} else {}
    for junk in JUNK:
        settings, refusal = build(kind, {**others, field.name: junk})
        if refusal is not None:
            assert str(refusal)
            if isinstance(refusal, InvalidSpecError):  # it names the layer, not the setting
                assert field.name in {"network", "second", "layer"}
            else:
                assert refusal.field in {field.name, "machine" if field.name == "kind" else ""}
            continue
        value = getattr(settings, field.name)
        hash(settings)
        assert isinstance(value, PLAIN)
        assert type(value) is type(field.default) or is_of_type(value, field.type)
        assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - written here


def test_a_tuple_holds_ids_or_members_and_junk_within_it_is_refused_by_its_field():
    assert repr(Menu(flavours=("sweet", Flavour.SOUR))) == repr(Menu())

    for values in (*((*Flavour, junk) for junk in JUNK), [*Flavour]):
        _, refusal = build(Menu, {"flavours": values})
        assert refusal is not None, values
        assert refusal.field == "flavours"


@pytest.mark.parametrize(
    ("kind", "field"), [each for each in FIELDS if isinstance(each[1].type, EnumType)]
)
def test_an_id_is_as_good_as_its_member(kind, field):
    plain = kind(**{field.name: str(field.default)})

    assert type(getattr(plain, field.name)) is field.type
    assert (plain, hash(plain), repr(plain)) == (kind(), hash(kind()), repr(kind()))


@pytest.mark.parametrize("given", [0, 4, 1.5, 2.0, True, None, "2", float("nan")])
def test_between_integers_only_integers_pass_and_between_others_every_number(given):
    check_within("rows", 3, least=1, most=3)
    for number in (0.5, 1, 1.5, 3.0):
        check_within("gib", number, least=0.5, most=3.0)

    with pytest.raises(InvalidSettingError):
        check_within("rows", given, least=1, most=3)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Trip(Settings[None]):
    BOUNDS: ClassVar[Bounds] = {"steps": {"least": 1, "most": 3}}
    ONLY_WITH: ClassVar[Conditions] = {"target": ("flavour", (Flavour.SOUR,))}

    machine: Machine = Machine(gpus=1)
    flavour: Flavour = Flavour.SWEET
    start: DeviceName = "cpu"
    target: DeviceName = "cuda:0"
    steps: int = 2


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"start": "cuda:1"}, "start"),
        ({"start": None}, "start"),
        ({"target": "cuda:1", "flavour": "sour"}, "target"),
        ({"target": "gpu"}, "target"),  # no machine has it
        ({"steps": 4}, "steps"),
        ({"steps": 2.0}, "steps"),
    ],
)
def test_devices_and_bounds_are_checked_by_type_and_name(values, field):
    with pytest.raises(InvalidSettingError) as refused:
        Trip(**values)

    assert refused.value.field == field


def test_a_device_that_counts_for_nothing_may_be_on_any_machine():
    assert Trip(target="cuda:7").target == "cuda:7"
    assert Trip(machine=REAL, start="cuda:7").start == "cuda:7"
