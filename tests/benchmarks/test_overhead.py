"""Every budget has the figure that it is for, under the name and in the unit that it expects."""

from benchmarks import builder_cost, inspect_cost, overhead, trace_cost
from benchmarks.measurement import Measurement
from benchmarks.overhead import BUDGETS, figures


def rows_of(source: str, found: dict[str, float]) -> dict[str, Measurement]:
    """The figures, which have all budgets of their source."""
    assert all(value > 0 for value in found.values())
    rows = {each.id: each for each in figures(source, "words", found)}
    budgeted = {name for name in BUDGETS if name.startswith(f"{source}.")}
    assert {name for name, each in rows.items() if each.budget} == budgeted
    return rows


def test_every_traced_network_has_a_budget_and_a_ratio():
    rows = rows_of("trace", trace_cost.measure(turns=1))

    assert {each.budget for each in rows.values() if each.unit == "×"} == {overhead.NO_SLOWER}
    assert tuple(trace_cost.NETWORKS) == overhead.TRACED


def test_an_edit_in_the_builder_has_its_budgets():
    rows_of("builder", builder_cost.measure(turns=1))


def test_every_inspected_file_has_its_budgets():
    names = overhead.INSPECTED[2:]  # the quick ones

    found = {f"inspect.{key}" for key in inspect_cost.measure(turns=1, names=names)}

    assert tuple(inspect_cost.FILES) == overhead.INSPECTED
    for name in names:
        assert {key for key in BUDGETS if f".{name}_" in key} < found
