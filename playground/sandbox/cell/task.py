"""The jail's task ``run_cell``: a student's cell, in the jail's child."""

import json
import signal
import sys
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from playground.machines import Machine
from playground.sandbox import facade, schema
from playground.sandbox.cell import beginning
from playground.sandbox.cell.answering import answer
from playground.sandbox.cell.executor import CpuTimeUpError
from playground.sandbox.cell.warming import CELLS, EVERYDAY
from playground.sandbox.cell.writer import CappedWriter
from playground.sandbox.facade.legacy import fill_with_zeros
from playground.sandbox.jail.performing import InParts
from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import LIMITS, Limits
from playground.sandbox.order import Order, order_of


def run_cell(arguments: JsonObject, data: BinaryIO, limits: Limits) -> InParts:  # noqa: ARG001
    """Run a cell.

    Args:
        arguments: An ``Order``, as ``arguments_of`` made it.
        data: None is needed.
        limits: Of the run.

    Yields:
        A ``CellAnswer``, as ``schema.write`` makes it, where a ``ModulesAnswer`` follows.

    Returns:
        A ``ModulesAnswer`` then; a ``CellAnswer`` where nothing was yielded.
    """
    signal.signal(signal.SIGXCPU, _time_is_up)
    fill_with_zeros()
    order = order_of(arguments)
    stdout = CappedWriter(limits.output_bytes, sys.stdout.write)
    parts = answer(order, stdout, limits)
    while True:
        try:
            yield schema.write(next(parts))
        except StopIteration as ended:
            last: JsonObject = schema.write(ended.value)
            return last


def warm_up() -> None:
    """Do once what cells do, so that nothing is left to be imported in a child."""
    facade.warm_up()
    for gpus in (0, 2):
        for source in (EVERYDAY, *CELLS):
            _try_out(Order(source=source, machine=Machine(gpus=gpus)))
    beginning.make_ready(2)  # a child rehearses, and runs one cell


def rehearse() -> Iterator[None]:
    """Do once in a child what cells usually do, so that the memory for it has been touched."""
    _try_out(Order(source=EVERYDAY, machine=Machine()))
    yield


def _try_out(order: Order) -> None:
    parts = answer(order, CappedWriter(LIMITS.output_bytes), LIMITS)
    while True:
        try:
            json.dumps(schema.write(next(parts)))
        except StopIteration as ended:
            json.dumps(schema.write(ended.value))
            return


def _time_is_up(*_: object) -> NoReturn:
    raise CpuTimeUpError
