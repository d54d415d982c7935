"""Runs a cell in this process: with all that the jail's child does, or on the facade alone."""

import json
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from playground.compute.torch_state import preserve_torch_state
from playground.machines import Machine
from playground.sandbox import facade, schema
from playground.sandbox.cell import executor
from playground.sandbox.cell.executor import CappedStdout
from playground.sandbox.cell.run_cell import run_cell as cell_parts
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer
from playground.sandbox.limits import LIMITS
from playground.sandbox.picture import Caption
from playground.sandbox.run_request import RunRequest

CPU = Machine(gpus=0)
UNHURRIED = replace(LIMITS, cpu_seconds=120)  # modules are looked at for a share of it


@cache
def warm_facade():
    """Warm up as the zygote does."""
    facade.warm_up()


def run_cell(source, **options):
    """Return a cell's answer, after its way through JSON, and its output."""
    answer, _, output = run_in_parts(source, **options)
    return answer, output


def seen_modules(source, **options):
    """Return the report of a cell's modules, after its way through JSON."""
    return run_in_parts(source, **options)[1].modules


def drawn_by(source):
    """The figures of a cell, each with its caption, and what the cell answers."""
    shown = []
    answer, *_ = run_in_parts(source, names=facade.bind(), show=lambda *each: shown.append(each))
    return [(png, travelled(Caption, caption)) for png, caption in shown], answer


def run_in_parts(
    source, *, machine=CPU, names=None, seed=0, limits=UNHURRIED, show=lambda *_: None
):
    """Return a cell's answer, the report of its modules, and its output."""
    stdout = CappedStdout(limits.output_bytes)
    request = RunRequest(source=source, machine=machine, seed=seed)
    with preserve_torch_state():
        parts = cell_parts(request, stdout, limits, names or {}, show=show)
        try:
            reported = next(parts)
            next(parts)
        except StopIteration as ended:
            last = ended.value
    if isinstance(last, CellAnswer):
        return travelled(CellAnswer, last), ModulesAnswer(), stdout.text
    return travelled(CellAnswer, reported), travelled(ModulesAnswer, last), stdout.text


def travelled(kind, record):
    """A record after its way through JSON."""
    return schema.read(kind, json.loads(json.dumps(schema.write(record), allow_nan=False)))


def run_on_facade(source, **bound):
    """Return the outcome of a program that had only the facade, errors included."""
    with facade.patched():
        return executor.execute(source, facade.bind() | bound, sys.stdout)


def execute(source, **bound):
    """The names after a program on the facade, which raises what it raises."""
    ran = run_on_facade(source, **bound)
    if ran.error is not None:
        raise ran.error
    return ran.names


def read_cells(corpus):
    """The cells of a text file of this folder, by their names."""
    return named_cells(Path(__file__).with_name(f"{corpus}.txt").read_text("utf-8"))


def named_cells(text):
    """Cells by their names, in a text that parts them as notebooks are written as text.

    >>> named_cells("# %% one\\n1 + 1\\n# %% two\\n2\\n")
    {'one': '1 + 1\\n', 'two': '2\\n'}
    """
    parts = re.split(r"^# %% (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
