"""Executes a program with what the facade offers, in this process."""

from playground.sandbox import facade
from playground.sandbox.cell.pyplot import Pyplot


def execute(source, **bound):
    namespace = facade.bind(pyplot=Pyplot()) | bound
    exec(compile(source, "<cell>", "exec"), namespace)
    return namespace
