"""Inspections of files, few at once on the whole server, since each computes in the web process."""

from dataclasses import dataclass

from playground.checkpoints.inspect import Disassembly, Inspection, disassemble, inspect
from playground.errors import SandboxBusyError, UploadRefusedError
from playground.sandbox.jail.line import Line
from playground.sandbox.limits import LIMITS
from ui.step import Step
from ui.xray.file import File

LINE = Line(LIMITS.inspections_at_once, LIMITS.inspections_waiting)  # of this server


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in a file; of a refused one also the steps of its pickle."""

    inspection: Inspection
    disassembly: Disassembly | None = None


def inspected(step: Step, file: File) -> Seen:
    """Inspect a file once it is its turn.

    Args:
        step: Says how many are before it.
        file: The file.

    Raises:
        UploadRefusedError: Too many wait already.
    """
    try:
        with LINE.turn(step.wait):
            inspection = inspect(file.data, file.name)
            if inspection.accepted:
                return Seen(inspection)
            return Seen(inspection, disassemble(file.data))
    except SandboxBusyError:
        raise UploadRefusedError("inspections_busy") from None
    finally:
        step.stop_waiting()
