"""The figures of the lab: what is measured, and that each budget has its figure."""

import pytest

from benchmarks import overhead, sandbox_cost


def test_a_small_program_is_measured_alone_and_among_others() -> None:
    found = sandbox_cost.measure(turns=2, at_once=5)
    if not found:
        pytest.skip("the jail does not hold on this computer")

    assert all(value > 0 for value in found.values())
    rows = {each.id: each for each in overhead.figures("sandbox", "the lab", found)}
    budgeted = {each for each in overhead.BUDGETS if each.startswith("sandbox.")}
    assert budgeted == {name for name, each in rows.items() if each.budget}


def test_programs_that_are_refused_are_no_figures() -> None:

    with pytest.raises(RuntimeError):
        sandbox_cost.milliseconds("import os")
