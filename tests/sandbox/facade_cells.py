"""Executes a program with what the facade offers, in this process."""

import sys

from playground.sandbox import facade
from playground.sandbox.cell import executor
from playground.sandbox.cell.pyplot import Pyplot


def run(source, **bound):
    """What became of a program, errors as well."""
    with facade.patched():
        return executor.execute(source, facade.bind(pyplot=Pyplot()) | bound, sys.stdout)


def execute(source, **bound):
    """The names after a program, which raises what it raises."""
    ran = run(source, **bound)
    if ran.error is not None:
        raise ran.error
    return ran.names
