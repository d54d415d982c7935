"""Every budget has the figure that it is for, under the name and in the unit that it expects."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from benchmarks import initialization_cost, inspect_cost, overhead, sandbox_cost, trace_cost
from benchmarks.measurement import Measurement, Verdict
from benchmarks.overhead import BUDGETS, figures
from playground import sandbox
from playground.sandbox import jail
from playground.sandbox.limits import LIMITS


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


def test_every_inspected_file_has_its_budgets():
    names = overhead.INSPECTED[2:]  # the quick ones

    found = {f"inspect.{key}" for key in inspect_cost.measure(turns=1, names=names)}

    assert tuple(inspect_cost.FILES) == overhead.INSPECTED
    for name in names:
        assert {key for key in BUDGETS if f".{name}_" in key} < found


def test_a_histogram_and_a_sweep_of_depths_are_measured_beside_bare_torch():
    found = initialization_cost.measure(turns=1, shape=(20, 30), depths=(2, 3))

    rows = rows_of("initialization", found)
    for name in ("histogram", "depth_sweep"):
        assert {f"{name}_s", f"{name}_in_bare_torch_s", f"{name}_over_bare_torch_ratio"} <= {*found}
    picture = rows["initialization.picture_kb"]
    assert (picture.unit, picture.verdict) == ("kB", Verdict.MET)  # whatever the tensor's size


@pytest.mark.usefixtures("open_jail")
def test_a_small_program_of_the_lab_is_measured_and_one_that_is_refused_is_no_figure(monkeypatch):
    already_open = SimpleNamespace(preflight=jail.preflight, stop=lambda: None)
    monkeypatch.setattr(sandbox_cost, "jail", already_open)  # a start takes seconds
    patient = replace(LIMITS, wall_seconds=300.0)  # a limit for what hangs
    monkeypatch.setattr(sandbox, "run", partial(sandbox.run, limits=patient))

    rows_of("sandbox", sandbox_cost.measure(turns=2, at_once=5))
    with pytest.raises(RuntimeError):
        sandbox_cost.milliseconds("import os")
