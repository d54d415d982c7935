"""A measurement, its budget, and whether the budget is met."""

import math
from dataclasses import dataclass
from enum import StrEnum, unique

from benchmarks.sample import Sample


@unique
class Statistic(StrEnum):
    """The statistic that a budget limits."""

    RATIO = "× empty"  # the median, over the median of the empty page
    MEDIAN = "median"
    P95 = "p95"
    MAX = "largest"


@unique
class Verdict(StrEnum):
    """The result of comparing with a budget."""

    MET = "met"
    NOT_MET = "**not met**"
    NOT_MEASURED = "not measured"
    NONE = ""  # no budget: reported for comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """An upper limit of a statistic, in the unit of the measurement; a ratio has no unit."""

    statistic: Statistic
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One row of the table.

    Args:
        id: Stable, e.g. ``"rerun.tensors"``; benchmarks/reasons.toml refers to it.
        what: The row's words.
        unit: e.g. ``"ms"``, ``"kB"`` (1000 bytes), ``"MB"`` (2**20 bytes).
        sample: The readings.
        empty: Readings of the empty page, taken in the same run.
        budget: Its limit; absent where it is only reported.
    """

    id: str
    what: str
    unit: str
    sample: Sample
    empty: Sample | None = None
    budget: Budget | None = None

    @property
    def ratio(self) -> float:
        """The median over that of the empty page; nan where there is none."""
        if self.empty is None or not self.empty.median:
            return math.nan
        return self.sample.median / self.empty.median

    @property
    def verdict(self) -> Verdict:
        """Kept, missed, or not to be judged."""
        if self.budget is None:
            return Verdict.NONE
        value = {
            Statistic.RATIO: self.ratio,
            Statistic.MEDIAN: self.sample.median,
            Statistic.P95: self.sample.p95,
            Statistic.MAX: self.sample.max,
        }[self.budget.statistic]
        if math.isnan(value):
            return Verdict.NOT_MEASURED
        return Verdict.MET if value <= self.budget.limit else Verdict.NOT_MET


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The measurements of one benchmark.

    Args:
        title: A heading.
        how: How they were taken, in a line.
        figures: The rows.
        remarks: What else was seen, one sentence each.
    """

    title: str
    how: str
    figures: tuple[Measurement, ...]
    remarks: tuple[str, ...] = ()
