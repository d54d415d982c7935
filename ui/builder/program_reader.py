"""The network of a program that was typed or pasted: the sandbox runs it, and reads its module."""

from collections.abc import Mapping
from typing import Any

from hosting.framework_internals.streamlit_session import session_id
from hosting.logs_and_metrics import Rejected, count_rejection, time_lab_run
from playground import sandbox
from playground.errors import InvalidSpecError, PlaygroundError, RunQuotaError
from playground.modules.spec import Network
from playground.sandbox import jail
from playground.sandbox.check import Level, translate
from playground.sandbox.limits import LIMITS
from playground.sandbox.quotas import QUOTAS
from playground.sandbox.text import clean
from ui.builder.state import BuilderState, Notice
from ui.language import current_language

TASK = "read_network"
KEYS = frozenset(
    {
        *(
            "spec_program",
            "spec_program_line",
            "spec_inputs",
            "spec_read",
            "spec_no_module",
            "spec_unknown_layer",
            "spec_statement",
        ),
        *("spec_depends", "spec_made_tensor", "spec_unregistered", "spec_argument_given"),
        *("spec_tied", "spec_outputs", "spec_too_many_wires"),
    }
)
SHOWN = ("type", "text", "argument", "given", "most")
MAX_SHOWN, MAX_DIGITS = 300, 6


def read(state: BuilderState, source: str) -> None:
    """Load the network of a program; the one on the screen stays where that fails."""
    state.notice = None
    if len(source) > LIMITS.source_characters:
        error = InvalidSpecError("spec_too_long", given=len(source), most=LIMITS.source_characters)
        state.notice = Notice("bad-program", error)
        return
    refused = [each for each in sandbox.check(source) if each.level is Level.REFUSE]
    if refused:
        text = refused[0].sentence(current_language())
        error = InvalidSpecError("spec_program_refused", line=refused[0].line, text=text)
        state.notice = Notice("bad-program", error)
        return
    asked: dict[str, Any] = {"source": translate(source).source, "network": state.history.text}
    try:
        with time_lab_run(), QUOTAS.turn(session_id()):
            answer = jail.run(TASK, asked, limits=LIMITS)
        is_loaded = state.load(network_in(answer.value))
        if is_loaded and (uncalled := _shown(answer.value or {}, "uncalled")):
            state.notice = Notice("uncalled", None, (("names", f"`{uncalled}`"),))
    except RunQuotaError as error:
        count_rejection(Rejected.LAB)
        state.notice = Notice("bad-program", error)
    except PlaygroundError as error:
        state.notice = Notice("bad-program", error)


def network_in(value: object) -> Network:
    """Return the network in an answer of the jail, all of which is untrusted.

    Raises:
        InvalidSpecError: There is none, or what was said instead.
    """
    if not isinstance(value, dict):
        raise InvalidSpecError("spec_program", text="…")
    if isinstance(value.get("network"), str):
        return Network.from_json(value["network"])
    key = value.get("key")
    shown = {name: _shown(value, name) for name in SHOWN}
    given = str(value.get("line", ""))[:MAX_DIGITS]
    line = int(given) if given.isascii() and given.isdecimal() else 0
    raise InvalidSpecError(key if key in KEYS else "spec_program", line=line, **shown)


def _shown(value: Mapping[str, object], name: str) -> str:
    return clean(str(value.get(name, "")))[:MAX_SHOWN]
