"""What every measurement shares: median, spread and repeats, and which devices were there."""

import csv
import io
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from playground.machines.machine import DeviceName, Machine, device_names
from playground.units import format_bytes

Value = str | int | float | bool | None
Told = Mapping[str, Value]
Row = tuple[Value, ...]
UNBROKEN = "\xa0"  # no line breaks between a number and its unit
Dot = tuple[DeviceName, str, float, float]  # device, line, x, y; both above 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Times of one thing that was done several times.

    Attributes:
        median_seconds: Half of the repeats were faster.
        low_seconds: A quarter was faster than this.
        high_seconds: A quarter was slower than this.
        repeats: How often it was timed, warm-up not counted.
    """

    median_seconds: float
    low_seconds: float
    high_seconds: float
    repeats: int

    @classmethod
    def of(cls, seconds: Sequence[float], **where: Any) -> Self:
        """Sum up single times.

        >>> Timed.of([3.0, 1.0, 2.0])
        Timed(median_seconds=2.0, low_seconds=1.5, high_seconds=2.5, repeats=3)
        """
        low, high = seconds[0], seconds[0]
        if len(seconds) > 1:
            low, _, high = statistics.quantiles(seconds, n=4, method="inclusive")
        return cls(
            median_seconds=statistics.median(seconds),
            low_seconds=low,
            high_seconds=high,
            **{"repeats": len(seconds), **where},
        )

    @property
    def median(self) -> str:
        """The median with a fitting unit."""
        return format_seconds(self.median_seconds)

    @property
    def quick(self) -> str:
        """The time below which the fastest quarter stayed: others on the server hardly touch it."""
        return format_seconds(self.low_seconds)

    @property
    def spread(self) -> str:
        """Where the middle half of the times lies."""
        low, high = format_seconds(self.low_seconds), format_seconds(self.high_seconds)
        return f"{low}{UNBROKEN}– {high}"


def simulated_gpus_of(machine: Machine) -> tuple[DeviceName, ...]:
    """The GPUs of a machine that compute on the CPU, so that their times would be invented."""
    return device_names(machine.gpus)[1:] if machine.is_simulated else ()


class OnServer:
    """Settings whose experiment times the server's own devices, whatever machine was chosen."""

    __slots__ = ()

    measures: ClassVar[bool] = True  # nothing else is measured beside it
    machine: Machine

    @property
    def refused(self) -> Told | None:
        """Which GPUs of the chosen machine will not be timed; None where there is none."""
        refused = simulated_gpus_of(self.machine)
        return {"refused": ", ".join(refused)} if refused else None


def format_seconds(seconds: float) -> str:
    r"""Write a time with the unit that suits it.

    >>> format_seconds(4.382e-6), format_seconds(0.01792), format_seconds(1.2)
    ('4.38\xa0µs', '17.9\xa0ms', '1.2\xa0s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{_three_digits(seconds / unit)}{UNBROKEN}{name}"
    return f"{_three_digits(seconds * 1e9)}{UNBROKEN}ns"


def format_size(size_bytes: int) -> str:
    r"""Write a size for a narrow column.

    >>> format_size(2**18)
    '256.00\xa0KiB'
    """
    return format_bytes(size_bytes).replace(" ", UNBROKEN)


def format_count(count: float) -> str:
    """Write a large whole number in groups of three, as both languages do.

    >>> format_count(2147483648)
    '2 147 483 648'
    """
    return f"{round(count):,}".replace(",", " ")


def _three_digits(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def as_csv(kind: type, records: Iterable[object], more: Sequence[str] = ()) -> str:
    """Write records as a table: one column for each field, then for each property named.

    Args:
        kind: The records' class; it names the columns even where there is no record.
        records: The rows.
        more: Properties to add.
    """
    names = [field.name for field in fields(kind)]
    names = sorted(names, key=lambda name: name in Timed.__slots__)  # what, before how long
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*names, *more])
    for record in records:
        writer.writerow([getattr(record, name) for name in (*names, *more)])
    return written.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuringProgress:
    """How far a measurement is; a subclass adds what was measured so far.

    Attributes:
        done: Times that are taken already.
        total: Times to take.
        device: What is timed now.
    """

    done: int
    total: int
    device: DeviceName

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        return self.done / self.total

    @property
    def facts(self) -> Told:
        """What to tell while it runs."""
        return {"device": self.device}

    @property
    def dots(self) -> tuple[Dot, ...]:
        """What the live picture shows of the times that are taken already."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredReport(ABC):
    """A report of times.

    Attributes:
        machine: The machine that the visitor chose; what is simulated of it was not timed.
        devices: What was timed: the server's CPU, and each GPU that it really has.
        threads: How many threads PyTorch used on the CPU.
        is_cut_short: The time for the whole measurement was used up before its end.
    """

    COLUMNS: ClassVar[tuple[str, ...]]

    machine: Machine
    devices: tuple[DeviceName, ...]
    threads: int
    is_cut_short: bool = False

    @abstractmethod
    def rows(self, words: Mapping[str, str]) -> tuple[Row, ...]:
        """The table of the step, under ``COLUMNS``."""

    @property
    @abstractmethod
    def actual(self) -> str:
        """The id of the answer that came true, on ``subject``."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The id of the explanation that fits."""

    @property
    @abstractmethod
    def told(self) -> Told:
        """What explanation and picture text mention."""

    @property
    @abstractmethod
    def csv(self) -> str:
        """Every measurement, for a spreadsheet."""

    @property
    def subject(self) -> DeviceName:
        """What the prediction was about: the first GPU where there is one, else the CPU."""
        return self.devices[min(1, len(self.devices) - 1)]

    @property
    def gpus(self) -> tuple[DeviceName, ...]:
        """The GPUs that were timed."""
        return self.devices[1:]

    @property
    def refused(self) -> tuple[DeviceName, ...]:
        """The simulated GPUs, which have no time to measure."""
        return simulated_gpus_of(self.machine)

    @property
    def where(self) -> str:
        """The id of the sentence that says what was timed, and what could not be."""
        if self.refused:
            return "simulated-have-no-time"
        return "real-devices" if self.gpus else "no-gpu"

    @property
    def placed(self) -> Told:
        """What that sentence mentions."""
        return {"devices": ", ".join(self.devices), "refused": ", ".join(self.refused)}

    @property
    def notes(self) -> tuple[tuple[str, Told], ...]:
        """What else is to be said: ids of sentences, and what they mention."""
        return (("cut-short", {}),) if self.is_cut_short else ()

    @property
    def facts(self) -> Told:
        """What was timed, and how a rate or a ratio comes from the times."""
        arithmetic = self.told.get("arithmetic")
        facts: Told = {"devices": ", ".join(self.devices), "threads": self.threads}
        return {**facts, "arithmetic": arithmetic} if arithmetic else facts
