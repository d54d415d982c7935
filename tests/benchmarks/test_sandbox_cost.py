"""The figures of the lab: what is measured, and that each budget has its figure."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from benchmarks import overhead, sandbox_cost
from playground import sandbox
from playground.sandbox import jail
from playground.sandbox.limits import LIMITS


@pytest.mark.usefixtures("open_jail")
def test_a_small_program_is_measured_alone_and_among_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    already_open = SimpleNamespace(preflight=jail.preflight, stop=lambda: None)
    monkeypatch.setattr(sandbox_cost, "jail", already_open)  # a start takes seconds
    patient = replace(LIMITS, wall_seconds=300.0)  # a limit for what hangs
    monkeypatch.setattr(sandbox, "run", partial(sandbox.run, limits=patient))

    found = sandbox_cost.measure(turns=2, at_once=5)

    assert all(value > 0 for value in found.values())
    rows = {each.id: each for each in overhead.figures("sandbox", "the lab", found)}
    budgeted = {each for each in overhead.BUDGETS if each.startswith("sandbox.")}
    assert budgeted == {name for name, each in rows.items() if each.budget}


def test_programs_that_are_refused_are_no_figures() -> None:

    with pytest.raises(RuntimeError):
        sandbox_cost.milliseconds("import os")
