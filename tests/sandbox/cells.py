"""Runs a cell in this process: all that the jail's child does, but the jail."""

import json

from playground.compute import torch_state
from playground.machines import Machine
from playground.sandbox import schema
from playground.sandbox.cell import answering
from playground.sandbox.cell.writer import CappedWriter
from playground.sandbox.cell_answer import CellAnswer
from playground.sandbox.limits import LIMITS
from playground.sandbox.order import Order

CPU = Machine(gpus=0)


def run_cell(source, *, machine=CPU, names=None, seed=0, limits=LIMITS):
    """What a cell answers, after its way through JSON, and what it printed."""
    stdout = CappedWriter(limits.output_bytes)
    order = Order(source=source, machine=machine, seed=seed)
    with torch_state.restored():
        told = answering.answer(order, stdout, limits, {} if names is None else names)
    travelled = json.loads(json.dumps(schema.write(told), allow_nan=False))
    answer = schema.read(CellAnswer, travelled)
    return answer, stdout.text
