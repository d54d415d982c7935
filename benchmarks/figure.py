"""One measured figure, its budget, and whether it keeps it."""

import math
from dataclasses import dataclass
from enum import StrEnum, unique

from benchmarks.sample import Sample


@unique
class Judged(StrEnum):
    """What of a figure is held against its budget."""

    RATIO = "× empty"  # the median, over the median of the empty page
    MEDIAN = "median"
    P95 = "p95"
    MOST = "largest"


@unique
class Verdict(StrEnum):
    """What became of a budget."""

    MET = "met"
    NOT_MET = "**not met**"
    NOT_MEASURED = "not measured"
    NONE = ""  # no budget: reported for comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most that a figure may be, in the unit of the figure, or in empty pages."""

    judged: Judged
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table.

    Args:
        id: Stable, e.g. ``"rerun.tensors"``; benchmarks/reasons.toml refers to it.
        what: The row's words.
        unit: e.g. ``"ms"``, ``"kB"`` (1000 bytes), ``"MB"`` (2**20 bytes).
        sample: The readings.
        empty: Readings of the empty page, taken in the same run.
        budget: What it is held against; absent where it is only reported.
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
        """Whether the budget is kept."""
        if self.budget is None:
            return Verdict.NONE
        judged = {
            Judged.RATIO: self.ratio,
            Judged.MEDIAN: self.sample.median,
            Judged.P95: self.sample.p95,
            Judged.MOST: self.sample.most,
        }[self.budget.judged]
        if math.isnan(judged):
            return Verdict.NOT_MEASURED
        return Verdict.MET if judged <= self.budget.most else Verdict.NOT_MET


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The figures of one benchmark.

    Args:
        title: A heading.
        how: How they were taken, in a line.
        figures: The rows.
        remarks: What else was seen, one sentence each.
    """

    title: str
    how: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...] = ()
