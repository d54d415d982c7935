"""Runs a cell on its machine and answers with plain values; what limits it, is around it.

What the cell gave is told before its modules are looked at: a long call inside C++ cannot be
interrupted, and where it meets a limit in that look, the cell has not run in vain.
"""

import dataclasses
import io
import json
import random
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias

from playground.machines.host import running_on
from playground.sandbox import facade, schema
from playground.sandbox.cell import beginning
from playground.sandbox.cell.beginning import Beginning
from playground.sandbox.cell.complaint import complaint_of
from playground.sandbox.cell.executor import NOTHING, CpuTimeUpError, Ran, execute
from playground.sandbox.cell.first_calls import FirstCalls
from playground.sandbox.cell.inspection import has_modules, look_at_modules
from playground.sandbox.cell.literal import literal
from playground.sandbox.cell.pyplot import Pyplot
from playground.sandbox.cell.seeding import seed
from playground.sandbox.cell.shown import Shown, show
from playground.sandbox.cell.writer import CappedWriter, OutputFullError
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer, NotedWarning
from playground.sandbox.figures import Figure
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.limits import Limits
from playground.sandbox.order import Order
from playground.steps.recording import Line

RESULT = "result"  # the name that a lesson's program binds what it found to
INSPECTION_SHARE = 0.5  # of the computing time: a cell that has used more is not looked at
ROOM = 8 * 1024  # bytes of the answer that are left to the jail
Parts: TypeAlias = Generator[CellAnswer, None, CellAnswer | ModulesAnswer]


def answer(
    order: Order, stdout: CappedWriter, limits: Limits, names: Mapping[str, Any] | None = None
) -> Parts:
    """Run a cell.

    Yields what it gave if there are modules to be looked at, and returns then what was seen of
    them; otherwise it returns what the cell gave.

    Args:
        order: What to run, and where.
        stdout: Receives what it prints.
        limits: Of the run.
        names: Bound before; the facade where there are none.
    """
    deadline = time.process_time() + limits.cpu_seconds * INSPECTION_SHARE
    calls = FirstCalls()
    with running_on(order.machine), facade.promising(), facade.patched():
        begin = beginning.take() if names is None else Beginning(dict(names), Pyplot())
        _seed_all(order.seed)
        with calls.noted():
            ran = execute(order.source, begin.names, stdout)
        told = _told(ran, order.source, limits)
        most = limits.result_bytes - ROOM
        told = _with_figures(_with_lines(told, ran.lines, most), begin.pyplot.drawn(), most)
        is_looked_at = order.looks_at_modules and told.stopped_because is None
        if not is_looked_at or not has_modules(ran.names):
            return told
        yield told
        return _fitting(_modules(ran, calls, deadline), most - _length(told))


def _seed_all(number: int) -> None:
    seed(number)
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number % 2**32)


def _told(ran: Ran, source: str, limits: Limits) -> CellAnswer:
    """What the cell gave; writing its value may run the student's code, and raise."""
    shown: Shown | None = None
    result = ""
    error = ran.error
    if error is None:
        try:
            if ran.value is not NOTHING:
                shown = show(ran.value, limits.shown_elements)
            if RESULT in ran.names:
                result = literal(ran.names[RESULT])
        except BaseException as raised:  # noqa: BLE001 - by the student's own __repr__
            error = raised
    noted = tuple(NotedWarning(text=text, line=line) for text, line in ran.warnings)
    if error is None:
        return CellAnswer(
            value=shown.text if shown else None,
            value_total=shown.total if shown else None,
            result=result,
            warnings=noted,
        )
    found = complaint_of(error, source)
    stopped = _stopped(error, is_memory=found.is_memory)
    is_limit = stopped in (StoppedBecause.CPU, StoppedBecause.OUTPUT)
    return CellAnswer(
        error_type="" if is_limit else found.error_type,
        message="" if is_limit else found.message,
        line=found.line,
        column=found.column,
        top_line=found.top_line,
        stopped_because=stopped,
        needed_bytes=found.needed_bytes,
        is_recursion=found.is_recursion,
        warnings=noted,
    )


def _stopped(error: BaseException, *, is_memory: bool) -> StoppedBecause | None:
    if isinstance(error, CpuTimeUpError):
        return StoppedBecause.CPU
    if isinstance(error, OutputFullError):
        return StoppedBecause.OUTPUT
    return StoppedBecause.MEMORY if is_memory else None


def _modules(ran: Ran, calls: FirstCalls, deadline: float) -> ModulesAnswer:
    """Look at modules; their prints go nowhere, and what ends the process's time ends only this."""
    silent, outer = io.StringIO(), sys.stdout
    sys.stdout = silent
    try:
        return ModulesAnswer(modules=look_at_modules(ran.names, calls, deadline))
    except CpuTimeUpError:
        return ModulesAnswer(stopped_because=StoppedBecause.CPU)
    except BaseException:  # noqa: BLE001 - the cell itself has run; this is an extra
        return ModulesAnswer()
    finally:
        sys.stdout = outer


def _with_lines(told: CellAnswer, lines: Sequence[Line], most: int) -> CellAnswer:
    """Add what lines bound and printed, if the answer has room for it.

    A class of the student's may say anything about its shape or device; then nothing is added.
    """
    room = CellAnswer.MAX_NOTES
    kept: list[Line] = []
    for line in lines:
        if (line.notes or line.printed) and len(kept) < CellAnswer.MAX_LINES:
            kept.append(dataclasses.replace(line, notes=line.notes[:room]))
            room -= len(kept[-1].notes)
    try:
        whole = dataclasses.replace(told, lines=tuple(kept))
    except ValueError:
        return told
    return whole if _length(whole) <= most else told


def _with_figures(told: CellAnswer, figures: tuple[Figure, ...], most: int) -> CellAnswer:
    """Add figures, as many as the answer has room for."""
    told = dataclasses.replace(told, figures=figures)
    while told.figures and _length(told) > most:
        told = dataclasses.replace(told, figures=told.figures[:-1])
    return told


def _fitting(seen: ModulesAnswer, most: int) -> ModulesAnswer:
    """Leave out what makes the answer too long."""
    while seen.modules and _length(seen) > most:
        seen = dataclasses.replace(seen, modules=seen.modules[:-1])
    return seen


def _length(told: CellAnswer | ModulesAnswer) -> int:
    return len(json.dumps(schema.write(told)))
