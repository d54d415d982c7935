"""Inspections of files, few at once on the whole server, since each computes in the web process.

A file is inspected once; what was found in the last one is kept for the next drawings.
"""

from dataclasses import dataclass

import streamlit as st

from playground.checkpoints.inspect import Disassembly, Inspection, disassemble, inspect
from playground.errors import SandboxBusyError, UploadRefusedError
from playground.sandbox.jail.line import Line
from playground.sandbox.limits import LIMITS
from ui.xray.card import Card
from ui.xray.file import File

LINE = Line(LIMITS.inspections_at_once, LIMITS.inspections_waiting)  # of this server


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in a file; of a refused one also the steps of its pickle."""

    of: str  # the file's id
    inspection: Inspection
    disassembly: Disassembly | None = None


def inspected(card: Card, file: File) -> Seen:
    """Inspect a file once it is its turn, or recall what was found.

    Args:
        card: Says how many are before it.
        file: The file.

    Raises:
        UploadRefusedError: Too many wait already.
    """
    key = card.key("seen")
    kept = st.session_state.get(key)
    if isinstance(kept, Seen) and kept.of == file.id:
        return kept
    st.session_state.pop(key, None)
    try:
        with LINE.turn(card.wait):
            inspection = inspect(file.data, file.name)
            disassembly = None if inspection.accepted else disassemble(file.data)
    except SandboxBusyError:
        raise UploadRefusedError("inspections_busy") from None
    finally:
        card.stop_waiting()
    seen = st.session_state[key] = Seen(file.id, inspection, disassembly)
    return seen
