"""What goes into an experiment: the base of all settings, and the checks that they share."""

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from playground.errors import InvalidSettingError

ReportT_co = TypeVar("ReportT_co", covariant=True)


class Settings(Generic[ReportT_co]):
    """The base of every settings record; names the type of its report.

    A subclass is a frozen dataclass of plain values that refuses bad ones in ``__post_init__``.

    Attributes:
        deterministic: Equal settings give equal reports, so a report may be cached.
        uses_hardware: On a real machine, the experiment needs the lane that can see the GPUs.
        timeout_seconds: How long the experiment may take.
    """

    __slots__ = ()

    deterministic: ClassVar[bool] = True
    uses_hardware: ClassVar[bool] = True
    timeout_seconds: ClassVar[float] = 20.0


def check_within(field: str, given: float, *, least: float, most: float) -> None:
    """Refuse a number outside ``least`` … ``most``, both allowed; also refuse NaN and booleans.

    Raises:
        InvalidSettingError: With key ``bounds``.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InvalidSettingError("bounds", field=field, given=given, least=least, most=most)


def check_choice(field: str, given: object, allowed: Iterable[object]) -> None:
    """Refuse a value that is not one of the allowed ones.

    Raises:
        InvalidSettingError: With key ``choice``.
    """
    choices = tuple(allowed)
    if given not in choices:
        names = ", ".join(map(str, choices))
        raise InvalidSettingError("choice", field=field, given=given, allowed=names)


def check_length(field: str, given: str, *, most: int) -> None:
    """Refuse a text longer than ``most`` characters.

    Raises:
        InvalidSettingError: With key ``length``.
    """
    if len(given) > most:
        raise InvalidSettingError("length", field=field, given=len(given), most=most)
