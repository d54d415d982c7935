"""Run a cell on its machine and answer with plain values; the limits are set around it.

The answer of the cell is sent before its modules are inspected: a long call inside C++ cannot be
interrupted, and if the inspection meets a limit, the result of the cell is not lost.
"""

import io
import json
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from playground.machines.machine_context import running_on
from playground.sandbox import facade, schema
from playground.sandbox.cell import namespace
from playground.sandbox.cell.display import Displayed, display, literal_repr
from playground.sandbox.cell.executor import (
    NOTHING,
    CappedStdout,
    CpuTimeUpError,
    Execution,
    OutputFullError,
    execute,
)
from playground.sandbox.cell.format_error import CELL_FILE, format_error
from playground.sandbox.cell.infer_inputs import FirstCalls
from playground.sandbox.cell.inspection import has_modules, inspect_modules
from playground.sandbox.cell.losses import Losses
from playground.sandbox.cell.namespace import CellNamespace, seed_all
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer, NotedWarning
from playground.sandbox.facade.files import Files
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.jail.run_task import CHANNEL, MAX_PART_BYTES
from playground.sandbox.limits import Limits
from playground.sandbox.live import BARS, LivePart
from playground.sandbox.picture import Caption
from playground.sandbox.plots import pyplot
from playground.sandbox.run_request import RunRequest
from playground.steps.line_recorder import Line, Recorder

RESULT = "result"  # the name that a lesson's program binds what it found to
INSPECTION_SHARE = 0.5  # of the computing time: modules of a cell that used more are skipped
RESERVED_BYTES = 8 * 1024  # of the answer, for the jail
LINES_BYTES = MAX_PART_BYTES - 8 * 1024  # of a part, whose bars and line need the rest
MAX_ESCAPED_BYTES = 12  # of a character in JSON
PAUSE_SHARE = 1 / 40  # of the time that a run has taken: the pause between two parts
Parts: TypeAlias = Generator[CellAnswer, None, CellAnswer | ModulesAnswer]


class LiveState:
    """Sends what a program has done so far, while it runs: only what is new.

    The longer a run takes, the rarer its parts: ``Limits.live_parts`` last for four minutes.

    Args:
        recorder: Records what its lines made and printed.
        clock: Gives the time, in seconds.
    """

    def __init__(self, recorder: Recorder, clock: Callable[[], float] = time.monotonic) -> None:
        self._recorder, self._clock = recorder, clock
        self._began = self._next = clock()
        self._sent: dict[int, Line] = {}
        self._latest: LivePart | None = None  # without its lines

    def report(self) -> None:
        """Send what has changed since the last report that was sent; called by the timer.

        What one part has no room for is left to the next ones, and so is text after a carriage
        return until its line ends.
        """
        now = self._clock()
        if now < self._next:
            return
        sent, lines, room = dict(self._sent), [], LINES_BYTES
        for line in self._recorder.lines():
            before = sent.get(line.number, Line(line.number))
            begin = len(before.printed)
            end = begin + room // (2 * MAX_ESCAPED_BYTES)  # notes need room, too
            if "\r" in line.printed[begin:end]:
                end = max(begin, line.printed.rfind("\n", begin, end) + 1)
            known = Line(line.number, line.notes, line.printed[:end])
            if known == before:
                continue
            piece = replace(known, printed=known.printed[begin:])
            size = len(json.dumps(schema.write(piece)))
            if size <= room:
                room -= size
                lines.append(piece)
                sent[line.number] = known
        part = LivePart(line=self._recorder.line(), bars=BARS.shown())
        if not lines and part == self._latest:
            return
        if CHANNEL.send({"run": schema.write(replace(part, lines=tuple(lines)))}):
            self._latest, self._sent = part, sent
            self._next = now + (now - self._began) * PAUSE_SHARE


def send_picture(png: bytes, caption: Caption) -> None:
    """Send a figure as soon as the program shows it."""
    CHANNEL.send({"picture": schema.write(caption)}, png)


def run_cell(
    request: RunRequest,
    stdout: CappedStdout,
    limits: Limits,
    names: Mapping[str, Any] | None = None,
    own_file: bytes = b"",
    show: pyplot.Show = send_picture,
) -> Parts:
    """Run a cell.

    Yields the answer of the cell if it has modules, and returns the answer about them then;
    otherwise it returns the answer of the cell.

    Args:
        request: The cell and its machine.
        stdout: Receives what it prints.
        limits: Of the run.
        names: Names that are bound before; those of the facade by default.
        own_file: What is in the file that the request names.
        show: Receives its figures.
    """
    deadline = time.process_time() + limits.cpu_seconds * INSPECTION_SHARE
    calls, losses = FirstCalls(), Losses()
    with running_on(request.machine), facade.lazy_allocation(), facade.patched():
        start = namespace.take() if names is None else CellNamespace(dict(names), Files())
        if request.own_file:
            start.give(request.own_file, own_file)
        seed_all(request.seed)
        recorder = Recorder(CELL_FILE, stdout)
        screen = pyplot.Screen(start.files, show, recorder.line)
        pyplot.begin(screen)
        BARS.clear()
        CHANNEL.on_tick(LiveState(recorder).report)
        with calls.recording(), losses.recording():
            ran = execute(
                request.source,
                start.names,
                stdout,
                recorder=recorder,
                finish=partial(screen.show_open, is_last=True),
            )
        answer = replace(_answer(ran, request.source, limits), descent=losses.descent())
        max_bytes = limits.result_bytes - RESERVED_BYTES
        answer = _with_lines(answer, ran.lines, max_bytes)
        is_inspected = request.looks_at_modules and answer.stopped_because is None
        if not is_inspected or not has_modules(ran.names):
            return answer
        yield answer
        return _shortened(_modules(ran, calls, deadline), max_bytes - _length(answer))


def _answer(ran: Execution, source: str, limits: Limits) -> CellAnswer:
    """Make the answer of a cell; displaying its value may run the student's code, and raise."""
    shown: Displayed | None = None
    result = ""
    error = ran.error
    if error is None:
        try:
            if ran.value is not NOTHING:
                shown = display(ran.value, limits.shown_elements)
            if RESULT in ran.names:
                result = literal_repr(ran.names[RESULT])
        except BaseException as raised:  # noqa: BLE001 - by the student's own __repr__
            error = raised
    warned = tuple(NotedWarning(text=text, line=line) for text, line in ran.warnings)
    if error is None:
        return CellAnswer(
            value=shown.text if shown else None,
            value_total=shown.total if shown else None,
            result=result,
            warnings=warned,
        )
    found = format_error(error, source)
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
        warnings=warned,
    )


def _stopped(error: BaseException, *, is_memory: bool) -> StoppedBecause | None:
    if isinstance(error, CpuTimeUpError):
        return StoppedBecause.CPU
    if isinstance(error, OutputFullError):
        return StoppedBecause.OUTPUT
    return StoppedBecause.MEMORY if is_memory else None


def _modules(ran: Execution, calls: FirstCalls, deadline: float) -> ModulesAnswer:
    """Inspect modules without their prints; a limit that is met here ends the inspection only."""
    silent, outer = io.StringIO(), sys.stdout
    sys.stdout = silent
    try:
        return ModulesAnswer(modules=inspect_modules(ran.names, calls, deadline))
    except CpuTimeUpError:
        return ModulesAnswer(stopped_because=StoppedBecause.CPU)
    except BaseException:  # noqa: BLE001 - the cell itself has run; this is an extra
        return ModulesAnswer()
    finally:
        sys.stdout = outer


def _with_lines(answer: CellAnswer, lines: Sequence[Line], max_bytes: int) -> CellAnswer:
    """Add what lines bound and printed, if the answer has room for it.

    A class of the student's may say anything about its shape or device; then nothing is added.
    """
    room = CellAnswer.MAX_NOTES
    kept: list[Line] = []
    for line in lines:
        if (line.notes or line.printed) and len(kept) < CellAnswer.MAX_LINES:
            kept.append(replace(line, notes=line.notes[:room]))
            room -= len(kept[-1].notes)
    try:
        whole = replace(answer, lines=tuple(kept))
    except ValueError:
        return answer
    return whole if _length(whole) <= max_bytes else answer


def _shortened(answer: ModulesAnswer, max_bytes: int) -> ModulesAnswer:
    """Drop modules until the answer is short enough."""
    while answer.modules and _length(answer) > max_bytes:
        answer = replace(answer, modules=answer.modules[:-1])
    return answer


def _length(answer: CellAnswer | ModulesAnswer) -> int:
    return len(json.dumps(schema.write(answer)))
