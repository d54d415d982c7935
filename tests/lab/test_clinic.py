"""Each case of the error clinic, run as in the jail: its message, its line and its fix are true."""

from datetime import date, timedelta

import pytest

from playground import catalog
from playground.lab.clinic import cases, number_of
from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import check
from tests.sandbox.cells import run_cell


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_case_fails_as_it_says_and_runs_with_its_fix_alone(case):
    facade.warm_up()
    for program in (case.program, case.fixed):
        assert check(program) == ()

    reported, _ = run_cell(case.program, machine=Machine(), names=facade.bind())
    fixed, _ = run_cell(case.fixed, machine=Machine(), names=facade.bind())

    assert (reported.error_type, reported.message.strip()) == (case.error, case.message.strip())
    assert reported.line == case.raised
    assert (fixed.error_type, fixed.message) == ("", "")
    assert all(line.strip() for line in case.program.splitlines())
    assert case.line <= case.raised + 2  # of one statement at most
    assert catalog.lesson(case.lesson).name == case.lesson


def test_no_case_comes_twice_before_all_have_come():
    count, day = len(cases()), date(2026, 11, 24)

    seen = {number_of(day + timedelta(days=each)) for each in range(count)}

    assert len(seen) == len({each.id for each in cases()}) == count >= 30
