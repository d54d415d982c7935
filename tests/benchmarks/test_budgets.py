"""A budget is held against the right reading; one that is not kept is marked, with its reason."""

import math
import statistics

import pytest

from benchmarks import report
from benchmarks.cold_start import arrivals
from benchmarks.measurement import Budget, Measurement, Section, Statistic, Verdict
from benchmarks.run import Message
from benchmarks.sample import Sample

READINGS = Sample((1.0, 2.0, 2.0, 9.0))  # median 2, largest 9
EMPTY = Sample((0.5, 0.5, 80.0))


def figure(
    budget: Budget | None, sample: Sample = READINGS, empty: Sample | None = None
) -> Measurement:
    return Measurement(
        id="rerun.home", what="home, whole", unit="ms", sample=sample, empty=empty, budget=budget
    )


@pytest.mark.parametrize(
    ("statistic", "most", "verdict"),
    [
        (Statistic.MEDIAN, 2.0, Verdict.MET),
        (Statistic.MEDIAN, 1.9, Verdict.NOT_MET),
        (Statistic.MAX, 9.0, Verdict.MET),
        (Statistic.MAX, 8.9, Verdict.NOT_MET),
        (Statistic.P95, 7.96, Verdict.MET),  # 2 + 0.85 * (9 - 2) = 7.95
        (Statistic.P95, 7.94, Verdict.NOT_MET),
        (Statistic.RATIO, 4.0, Verdict.MET),  # over the median of the empty page
        (Statistic.RATIO, 3.9, Verdict.NOT_MET),
    ],
)
def test_a_budget_holds_up_to_its_bound(statistic, most, verdict):
    assert figure(Budget(statistic=statistic, limit=most), empty=EMPTY).verdict is verdict


def test_what_was_not_measured_never_meets_its_budget():
    without_empty = figure(Budget(statistic=Statistic.RATIO, limit=4.0))
    without_readings = figure(Budget(statistic=Statistic.MAX, limit=1.0), Sample(()))

    assert without_empty.verdict is without_readings.verdict is Verdict.NOT_MEASURED
    assert figure(budget=None).verdict is Verdict.NONE
    assert math.isnan(figure(budget=None).ratio)


@pytest.mark.parametrize("count", [2, 5, 20, 101])
def test_quantiles_are_those_of_the_standard_library(count):
    readings = [float((number * 37) % count) for number in range(count)]

    assert Sample.of(readings).median == statistics.median(readings)
    expected = statistics.quantiles(readings, n=20, method="inclusive")[-1]
    assert Sample.of(readings).p95 == pytest.approx(expected)


def test_a_panel_brings_the_words_and_after_a_press_of_run_the_answer():
    messages = [
        Message("markdown", 10, 0.5, place="sidebar"),
        Message("bidi_component", 10, 1.0, fragment="lesson", place="main"),
        Message("bidi_component", 10, 1.5, place="main"),  # the script of the page
        Message("script_finished", 10, 2.0),
        Message("bidi_component", 10, 3.0, fragment="lesson", place="main"),
    ]

    assert arrivals(messages) == {"words-of-first-step": 1.0, "first-step": 3.0}


# -- BENCHMARKS.md ---------------------------------------------------------------------------------


def section(most: float) -> Section:
    """Its one figure is 30 ms, six times the empty page."""
    budget = Budget(statistic=Statistic.RATIO, limit=most)
    row = figure(budget, Sample((30.0, 30.0)), Sample((5.0,)))
    return Section(title="Rerun", how="With a stopwatch.", figures=(row,), remarks=("No error.",))


MET, NOT_MET = section(6), section(5)


def test_a_row_names_median_ratio_budget_and_verdict():
    expected = ("home, whole", "30 ms", "30 ms", "5 ms", "6.00", "≤ 6 × empty", "met")

    assert report.row(MET.figures[0]) == expected
    assert report.row(NOT_MET.figures[0])[-2:] == ("≤ 5 × empty", "**not met**")


def test_the_document_counts_the_budgets_and_gives_a_persons_reason_where_one_is_not_met():
    reasons = {"rerun.home": "It is long."}
    text = report.document([MET, NOT_MET], "two cores", reasons)

    assert "**1 of 2 budgets met.**" in text
    assert "Measured on two cores." in text
    assert text.count("home, whole: It is long. (`rerun.home`)") == 1
    assert report.NO_REASON in report.document([NOT_MET], "two cores", {})
    assert "It is long." not in report.document([MET], "two cores", reasons)
    assert all(isinstance(reason, str) for reason in report.read_reasons().values())


def test_each_command_rewrites_its_own_part_of_the_file_alone():
    rest = report.document([MET], "two cores", {})
    of_class = report.class_part([MET, NOT_MET], "two cores", {})
    whole = report.with_class_part(rest, of_class)

    assert "**1 of 2 budgets met.**" in of_class
    assert whole.startswith(rest.strip())
    assert report.kept_class_part(whole) == of_class
    renewed = of_class.replace("With a stopwatch.", "With another one.")
    assert report.with_class_part(whole, renewed) == whole.replace(of_class, renewed)
    assert report.with_class_part(rest, report.kept_class_part(whole)) == whole  # as make bench
    assert report.with_class_part(rest, report.kept_class_part(rest)) == rest
    assert report.with_class_part("", of_class) == of_class
