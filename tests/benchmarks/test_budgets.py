import math
from functools import partial

import pytest

from benchmarks import inspect_cost, overhead, report, trace_cost
from benchmarks.measurement import Budget, Measurement, Section, Statistic, Verdict
from benchmarks.overhead import BUDGETS, figures
from benchmarks.sample import Sample

READINGS = Sample((1.0, 2.0, 2.0, 9.0))  # median 2, largest 9
EMPTY = Sample((0.5, 0.5, 80.0))
figure = partial(Measurement, id="rerun.home", what="home, whole", unit="ms", sample=READINGS)


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
    budget = Budget(statistic=statistic, limit=most)

    assert figure(budget=budget, empty=EMPTY).verdict is verdict


def test_what_was_not_measured_never_meets_its_budget():
    without_empty = figure(budget=Budget(statistic=Statistic.RATIO, limit=4.0))
    most = Budget(statistic=Statistic.MAX, limit=1.0)
    without_readings = figure(budget=most, sample=Sample(()))

    assert without_empty.verdict is without_readings.verdict is Verdict.NOT_MEASURED
    assert figure(budget=None).verdict is Verdict.NONE
    assert math.isnan(figure(budget=None).ratio)


def section(most: float) -> Section:
    """Its one figure is 30 ms, six times the empty page."""
    budget = Budget(statistic=Statistic.RATIO, limit=most)
    row = figure(budget=budget, sample=Sample((30.0, 30.0)), empty=Sample((5.0,)))
    return Section(title="Rerun", how="With a stopwatch.", figures=(row,), remarks=("No error.",))


MET, NOT_MET = section(6), section(5)


def test_the_document_counts_the_budgets_and_gives_a_persons_reason_where_one_is_not_met():
    reasons = {"rerun.home": "It is long."}
    text = report.document([MET, NOT_MET], "two cores", reasons)

    assert "**1 of 2 budgets met.**" in text
    assert "Measured on two cores." in text
    assert text.count("home, whole: It is long. (`rerun.home`)") == 1
    assert report.NO_REASON in report.document([NOT_MET], "two cores", {})
    assert "It is long." not in report.document([MET], "two cores", reasons)
    assert all(isinstance(reason, str) for reason in report.read_reasons().values())


def test_every_traced_network_has_a_budget_and_a_ratio():
    found = trace_cost.measure(turns=1)

    rows = list(figures("trace", "words", found))

    assert all(value > 0 for value in found.values())
    budgeted = {name for name in BUDGETS if name.startswith("trace.")}
    assert {each.id for each in rows if each.budget} == budgeted
    assert {each.budget for each in rows if each.unit == "×"} == {overhead.NO_SLOWER}
    assert tuple(trace_cost.NETWORKS) == overhead.TRACED


def test_every_inspected_file_has_its_budgets():
    names = overhead.INSPECTED[2:]  # the quick ones

    found = {f"inspect.{key}" for key in inspect_cost.measure(turns=1, names=names)}

    assert tuple(inspect_cost.FILES) == overhead.INSPECTED
    for name in names:
        assert {key for key in BUDGETS if f".{name}_" in key} < found
