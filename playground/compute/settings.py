"""Base class of the settings of experiments, and the checks that all settings share."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from types import UnionType
from typing import Any, ClassVar, Generic, TypeGuard, TypeVar, cast, get_args, get_origin

from playground.errors import InvalidSettingError
from playground.machines.machine import DeviceName, Machine, MachineKind, check_device

ReportT_co = TypeVar("ReportT_co", covariant=True)
EXACT = 2**53  # up to here every integer is a float
ANY_MACHINE = Machine(kind=MachineKind.REAL)  # has every possible device
Bounds = Mapping[str, Mapping[str, float]]  # least and most, by field
Conditions = Mapping[str, tuple[str, tuple[object, ...]]]  # by field: another, and its values


class Settings(Generic[ReportT_co]):
    """Base class of every settings record; names the type of its report.

    A subclass is a frozen dataclass of plain values. If it has a ``__post_init__`` of its own, that
    calls ``check_types`` and ``check_bounds`` first, then refuses other invalid values.

    Attributes:
        deterministic: Equal settings give equal reports, so a report may be cached.
        uses_hardware: On a real machine, the experiment needs the pool that can see the GPUs.
        measures: It measures times, so no other measurement may run beside it, in any pool.
        timeout_seconds: How long the experiment may take.
        BOUNDS: Least and largest value of numbers, for ``check_bounds`` and for the controls.
        ONLY_WITH: Fields that mean something only where another one has certain values.
    """

    __slots__ = ()

    deterministic: ClassVar[bool] = True
    uses_hardware: ClassVar[bool] = True
    measures: ClassVar[bool] = False
    timeout_seconds: ClassVar[float] = 20.0
    BOUNDS: ClassVar[Bounds] = {}
    ONLY_WITH: ClassVar[Conditions] = {}

    def __post_init__(self) -> None:
        """Refuse values of a wrong type, missing devices, and numbers out of bounds."""
        self.check_types()
        check_bounds(self)

    def experiment(self) -> ReportT_co:
        """Run the experiment; called in the worker."""
        raise NotImplementedError

    def device_bytes(self) -> int:
        """Estimate the memory that the experiment allocates on one GPU; 0 where it is little.

        A real GPU has several users: more than a worker's quota is refused before any is allocated.
        An experiment that is to show torch's own refusal returns 0, too.
        """
        return 0

    def check_types(self) -> None:
        """Convert the ids of choices to their members, and refuse values of a wrong type.

        This includes tuples of choices, and fields whose type is the settings of another
        experiment. An integer is accepted for a float and converted. A device must be one of the
        machine's, unless ``ONLY_WITH`` says that the field has no meaning now. The types of numbers
        and texts are checked with their bounds: ``check_bounds``, ``check_within``,
        ``check_length``.

        Raises:
            InvalidSettingError: With key ``choice``.
        """
        for field in fields(cast("Any", self)):
            kind, given = field.type, getattr(self, field.name)
            if kind is Machine and not isinstance(given, Machine):
                kinds = ", ".join(MachineKind)
                raise InvalidSettingError("choice", field=field.name, given=given, allowed=kinds)
            if kind is float and type(given) is int and abs(given) <= EXACT:
                self._replace(field.name, float(given))
            elif kind is bool:
                check_choice(field.name, given, (False, True))
            elif _is_choice(kind):
                self._replace(field.name, _member(field.name, given, kind))
            elif get_origin(kind) is tuple:
                inner, *others = get_args(kind)
                if not isinstance(given, tuple):
                    raise InvalidSettingError("choice", field=field.name, given=given, allowed="()")
                if _is_choice(inner) and others == [...]:
                    members = tuple(_member(field.name, each, inner) for each in given)
                    self._replace(field.name, members)
            elif (nested := _nested(kind)) and not isinstance(given, nested):
                names = ", ".join(each.__name__ for each in nested)
                raise InvalidSettingError("choice", field=field.name, given=given, allowed=names)
        self._check_devices()

    def _check_devices(self) -> None:
        asked = {field.name: field.type for field in fields(cast("Any", self))}
        if asked.get("machine") is not Machine:
            return
        mine: Machine = cast("Any", self).machine
        for name in (name for name, kind in asked.items() if kind == DeviceName):
            other, values = self.ONLY_WITH.get(name, ("", ()))
            counts = not other or getattr(self, other) in values
            check_device(name, getattr(self, name), mine if counts else ANY_MACHINE)

    def _replace(self, field: str, value: object) -> None:
        # Past the frozen class: "add" equals Operation.ADD, but lacks its methods.
        object.__setattr__(self, field, value)


def _is_choice(kind: Any) -> TypeGuard[type[StrEnum]]:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _nested(kind: Any) -> tuple[type, ...]:
    """Return the classes of settings that a field may have; empty for any other field."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    return tuple(each for each in kinds if isinstance(each, type) and issubclass(each, Settings))


def _member(field: str, given: object, kind: type[StrEnum]) -> StrEnum:
    if isinstance(given, kind):
        return given
    members = {str(member): member for member in kind}
    check_choice(field, given, members)
    return members[str(given)]


def check_within(field: str, given: float, *, least: float, most: float) -> None:
    """Refuse a number outside ``least`` … ``most`` (inclusive); also refuse NaN and booleans.

    Where both bounds are integers, the number must be one: 1.0 is refused.

    Raises:
        InvalidSettingError: With key ``bounds``, or ``choice`` for a number between integers.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)
    if isinstance(least, int) and isinstance(most, int) and not isinstance(given, int):
        integers = f"{least}, {least + 1}, …, {most}"
        raise InvalidSettingError("choice", field=field, given=given, allowed=integers)


def check_bounds(settings: Settings[Any]) -> None:
    """Refuse numbers outside the ``BOUNDS`` of their class.

    Raises:
        InvalidSettingError: As in ``check_within``.
    """
    for field, bounds in settings.BOUNDS.items():
        check_within(field, getattr(settings, field), **bounds)


def check_choice(field: str, given: object, allowed: Iterable[object]) -> None:
    """Refuse a value that is not one of the allowed ones, in type and value.

    Raises:
        InvalidSettingError: With key ``choice``.
    """
    choices = tuple(allowed)
    if not any(isinstance(given, type(choice)) and given == choice for choice in choices):
        names = ", ".join(map(str, choices))
        raise InvalidSettingError("choice", field=field, given=given, allowed=names)


def check_length(field: str, given: str, *, most: int) -> None:
    """Refuse a text longer than ``most`` characters, and any other type.

    Raises:
        InvalidSettingError: With key ``length``, or ``choice`` for any other type.
    """
    if not isinstance(given, str):
        raise InvalidSettingError("choice", field=field, given=given, allowed='"…"')
    if len(given) > most:
        raise InvalidSettingError("length", field=field, given=len(given), most=most)
