"""Runs a student's cell: the check first, then the jail; its answer is untrusted data to show."""

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from playground.errors import InvalidSettingError
from playground.machines.machine import Machine
from playground.sandbox import jail, schema
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer
from playground.sandbox.check import Level, check, translate
from playground.sandbox.jail.answer import JailAnswer, StoppedBecause
from playground.sandbox.limits import LIMITS, Limits, OneProcessError
from playground.sandbox.live_run import LiveRun, Snapshot
from playground.sandbox.report import SandboxReport, Sentence, refused, reported
from playground.sandbox.run_request import OwnFile, RunRequest
from playground.sandbox.schema import JsonObject
from playground.units import format_bytes

T = TypeVar("T")
TASK = "run_cell"
MIN_TIMEOUT_SECONDS = 0.1
GPU = "cuda"  # what a program for GPUs has in it


def run(
    source: str,
    machine: Machine = Machine(),  # noqa: B008 - a frozen record
    *,
    timeout_seconds: float | None = None,
    seed: int = 0,
    is_checked: bool = True,
    looks_at_modules: bool = True,
    limits: Limits = LIMITS,
    on_wait: Callable[[int], None] | None = None,
    own_file: OwnFile | None = None,
    live: LiveRun | None = None,
    visitor: str = "",
) -> SandboxReport:
    """Run a cell in a process of its own, and wait for its report.

    Args:
        source: The student's text.
        machine: Simulated GPUs; the real machine means its plain CPU.
        timeout_seconds: Ends it sooner than the limits do.
        seed: Of all random numbers before the first statement.
        is_checked: Refuse what the check finds; tests try the jail without.
        looks_at_modules: Trace the modules that the cell makes, and check their gradients.
        limits: Of the run.
        on_wait: Called from this thread with the place in the queue; 1 is next.
        own_file: A file that the cell may read.
        live: Follows the run while it goes on, and may cancel it.
        visitor: Who asks, as of ``jail.run``.

    Returns:
        Its output, value and error. A cell that is refused or stopped is a report too.

    Raises:
        InvalidSettingError: ``timeout_seconds`` is out of bounds.
        SandboxClosedError: The jail does not hold on this computer.
        SandboxBusyError: Too many runs wait already.
    """
    tightened = _tightened(limits, timeout_seconds)
    findings = check(source) if is_checked else ()
    violations = tuple(each for each in findings if each.level is Level.REFUSE)
    if violations:
        return refused(violations)
    request = RunRequest(
        source=translate(source).source,
        machine=machine,
        seed=seed,
        looks_at_modules=looks_at_modules,
        own_file=own_file.name if own_file else "",
    )
    live = live or LiveRun()
    answer = jail.run(
        TASK,
        request.to_json(),
        data=own_file.content if own_file else b"",
        limits=tightened,
        on_wait=on_wait,
        watcher=live,
        visitor=visitor,
    )
    is_on_gpus = machine.is_simulated and machine.gpus > 0 and GPU in source
    report = report_of(answer, tightened, live.snapshot(), is_on_gpus=is_on_gpus)
    return dataclasses.replace(report, notes=findings)


def report_of(
    answer: JailAnswer,
    limits: Limits,
    live: Snapshot = Snapshot(),  # noqa: B008 - a frozen record
    *,
    is_on_gpus: bool = False,
) -> SandboxReport:
    """Read an answer of the jail, all of which is untrusted text.

    Args:
        answer: Of the jail.
        limits: Of the run.
        live: What was known of it when it ended.
        is_on_gpus: The cell uses simulated GPUs.
    """
    cell, modules = _read_parts(answer)
    return reported(
        cell,
        modules,
        live,
        output=answer.output,
        explanation=_explanation(cell, limits, is_on_gpus=is_on_gpus)
        or _inspection_limit(modules, limits),
        elapsed_seconds=answer.elapsed_seconds,
        waited_seconds=answer.waited_seconds,
    )


def _read_parts(answer: JailAnswer) -> tuple[CellAnswer, ModulesAnswer]:
    """Read the answers of the cell and of its modules; the first is valid without the second."""
    whole = answer.value if answer.first is None else answer.first
    ended = answer.stopped_because or StoppedBecause.NO_RESULT
    cell = _read(CellAnswer, whole) or CellAnswer(
        stopped_because=ended if whole is None else StoppedBecause.NO_RESULT
    )
    if answer.first is None:
        return cell, ModulesAnswer()
    return cell, _read(ModulesAnswer, answer.value) or ModulesAnswer(stopped_because=ended)


def _read(kind: type[T], value: JsonObject | None) -> T | None:
    try:
        return schema.read(kind, value)
    except (ValueError, TypeError, RecursionError):
        return None


def _inspection_limit(modules: ModulesAnswer, limits: Limits) -> Sentence | None:
    """Say that the cell has finished, but its modules could not be inspected."""
    match modules.stopped_because:
        case None:
            return None
        case StoppedBecause.CPU:
            return Sentence("modules_time", (("seconds", str(limits.cpu_seconds)),))
        case StoppedBecause.WALL:
            return Sentence("modules_time", (("seconds", f"{limits.wall_seconds:g}"),))
    return Sentence("modules_lost")


def _explanation(cell: CellAnswer, limits: Limits, *, is_on_gpus: bool) -> Sentence | None:
    """Say which limit was met, with its number."""
    match cell.stopped_because:
        case None if cell.error_type == OneProcessError.__name__:
            return Sentence("one_process")
        case None:
            return Sentence("recursion") if cell.is_recursion else None
        case StoppedBecause.CPU:
            name = "cpu_simulated" if is_on_gpus else "cpu"
            return Sentence(name, (("seconds", str(limits.cpu_seconds)),))
        case StoppedBecause.WALL:
            return Sentence("wall", (("seconds", f"{limits.wall_seconds:g}"),))
        case StoppedBecause.MEMORY if cell.needed_bytes > 0:
            sizes = (("needed", _size(cell.needed_bytes)), ("most", _size(limits.memory_bytes)))
            return Sentence("memory_tensor", sizes)
        case StoppedBecause.MEMORY:
            return Sentence("memory", (("most", _size(limits.memory_bytes)),))
        case StoppedBecause.OUTPUT:
            return Sentence("output", (("most", _size(limits.output_bytes)),))
    return Sentence(cell.stopped_because.value)


def _size(size_bytes: int) -> str:
    return format_bytes(size_bytes).replace(".00", "")


def _tightened(limits: Limits, timeout_seconds: float | None) -> Limits:
    if timeout_seconds is None:
        return limits
    if (
        isinstance(timeout_seconds, bool)
        or not isinstance(timeout_seconds, int | float)
        or not timeout_seconds >= MIN_TIMEOUT_SECONDS
    ):
        raise InvalidSettingError(
            "bounds",
            field="timeout_seconds",
            given=timeout_seconds,
            least=MIN_TIMEOUT_SECONDS,
            most=limits.wall_seconds,
        )
    return dataclasses.replace(limits, wall_seconds=min(limits.wall_seconds, timeout_seconds))
