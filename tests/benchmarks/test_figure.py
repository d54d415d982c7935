import math

import pytest

from benchmarks.figure import Budget, Figure, Judged, Verdict
from benchmarks.sample import Sample

READINGS = Sample((1.0, 2.0, 2.0, 9.0))  # median 2, largest 9


def judge(judged: Judged, most: float, empty: Sample | None = None) -> Verdict:
    figure = Figure(
        id="click",
        what="a click",
        unit="ms",
        sample=READINGS,
        empty=empty,
        budget=Budget(judged=judged, most=most),
    )
    return figure.verdict


@pytest.mark.parametrize(
    ("judged", "most", "verdict"),
    [
        (Judged.MEDIAN, 2.0, Verdict.MET),
        (Judged.MEDIAN, 1.9, Verdict.NOT_MET),
        (Judged.MOST, 9.0, Verdict.MET),
        (Judged.MOST, 8.9, Verdict.NOT_MET),
        (Judged.P95, 7.96, Verdict.MET),  # 2 + 0.85 * (9 - 2) = 7.95
        (Judged.P95, 7.94, Verdict.NOT_MET),
    ],
)
def test_a_budget_holds_up_to_its_bound(judged: Judged, most: float, verdict: Verdict) -> None:
    assert judge(judged, most) is verdict


def test_a_ratio_is_taken_over_the_median_of_the_empty_page() -> None:
    empty = Sample((0.5, 0.5, 80.0))

    assert judge(Judged.RATIO, 4.0, empty) is Verdict.MET
    assert judge(Judged.RATIO, 3.9, empty) is Verdict.NOT_MET


def test_a_ratio_without_an_empty_page_was_not_measured() -> None:
    assert judge(Judged.RATIO, 4.0) is Verdict.NOT_MEASURED


def test_a_figure_without_readings_never_meets_its_budget() -> None:
    figure = Figure(
        id="click",
        what="a click",
        unit="ms",
        sample=Sample(()),
        budget=Budget(judged=Judged.MOST, most=1.0),
    )

    assert figure.verdict is Verdict.NOT_MEASURED


def test_a_figure_without_a_budget_is_not_judged() -> None:
    figure = Figure(id="click", what="a click", unit="ms", sample=READINGS)

    assert figure.verdict is Verdict.NONE
    assert math.isnan(figure.ratio)
