"""Runs a program as the jail's child does, without the jail, so that every computer can."""

from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import check
from playground.sandbox.report import refused, reported
from tests.sandbox.cells import run_in_parts, warm_facade


def run(source, machine=Machine(), *, is_checked=True, **_):  # noqa: B008 - frozen
    """Stands in for ``sandbox.run``."""
    warm_facade()
    if is_checked and (violations := check(source)):
        return refused(violations)
    cell, modules, output = run_in_parts(source, machine=machine, names=facade.bind())
    return reported(
        cell, modules, output=output, explanation=None, elapsed_seconds=0.1, waited_seconds=0.0
    )
