"""The live poll on a student's page: the state that is asked, the student's vote, the banner.

While the answer is withheld, the page shows the question of exactly that state and takes the answer
as a vote. The script of every page asks ``/api/poll`` for the banner: such a request costs a tenth
of a run of a page, and stops no run that is being watched.
"""

from collections.abc import Mapping
from functools import lru_cache

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from hosting import framework_internals, settings
from hosting import live_poll as polls
from hosting.framework_internals.streamlit_session import session_id
from hosting.login_and_error_pages import NO_STORE
from hosting.progress.records import Poll, Snapshot, user_id
from hosting.requests import language_of, visitor_of_request
from hosting.settings import Gate
from playground import catalog
from playground.errors import InvalidSettingError
from playground.machines import Machine, MachineKind
from playground.steps import Step, load_step
from ui import machine_picker, visitor
from ui.language import say, table

VOTES = "live-poll-votes"  # in the session: the visitor's votes by the poll's id
MAX_OWN_VOTES = 200


def machine_of(poll: Poll) -> Machine:
    """Return the machine on which a poll asks.

    Raises:
        InvalidSettingError: It has a number that is not allowed.
    """
    kind = MachineKind(poll.machine)
    return Machine(kind=kind, gpus=poll.gpus, memory_gib=float(poll.memory_gib))


def polled_step(poll: Poll) -> Step | None:
    """Return the settings that a poll asks about; None if this version has no such state."""
    return _step(poll.lesson, poll.step, poll.round, poll.machine, poll.gpus, poll.memory_gib)


@lru_cache(maxsize=64)
def _step(
    lesson: str, step: str, number: int, machine: str, gpus: int, memory_gib: int
) -> Step | None:
    try:
        words = catalog.lesson(lesson).step(step).words
        given = words.rounds[number - 2].settings if number > 1 else {}
        kind = load_step(lesson, step)
        where = Machine(kind=MachineKind(machine), gpus=gpus, memory_gib=float(memory_gib))
        has_machine = any(each.name == "machine" for each in kind.declared())
        return kind.of(given, **({"machine": where} if has_machine else {}))
    except (KeyError, IndexError, ValueError, InvalidSettingError):
        return None


def withheld(step: Step) -> Poll | None:
    """Return the poll that asks about exactly these settings, before its answer is shown."""
    poll = polls.current().snapshot().poll
    if poll is None or poll.stage.has_answer or polled_step(poll) != step:
        return None
    return poll


def question_data(poll: Poll, data: Mapping[str, object]) -> dict[str, object]:
    """Return what differs in the panel's data of a question that a poll asks."""
    question, words = data.get("question"), data["words"]
    if not isinstance(question, Mapping) or not isinstance(words, Mapping):
        return {}
    kept = {name: text for name, text in words.items() if name not in ("run", "again")}
    return {
        "question": {**question, "is_open": poll.is_open},
        "words": {**kept, "same_again": say("live.chosen")},
    }


def voter() -> str:
    """Return whose vote this session's is; empty for a teacher, whose votes do not count."""
    who = visitor.current()
    if who is not None:
        return "" if who.is_teacher else who.student
    if settings.current().gate is not Gate.OPEN:
        return ""
    known = framework_internals.browser_id(st.context.cookies.to_dict()) or session_id()
    return user_id(Gate.OPEN, known) if known else ""


def vote(poll: Poll, words: catalog.Step, step: Step, said: str) -> bool:
    """Count an answer; return False if the poll is closed, or there is no such answer."""
    devices = machine_picker.devices(machine_of(poll))
    answers = step.choices(devices) or (words.prediction.answers if words.prediction else ())
    if not poll.is_open or said not in answers:
        return False
    votes: dict[str, str] = st.session_state.setdefault(VOTES, {})
    if len(votes) < MAX_OWN_VOTES:
        votes[poll.id] = said
    if who := voter():
        polls.current().vote(poll.id, who, said)
    return True


def own_vote(poll: Poll) -> str:
    """Return the visitor's vote, also from before a reload; empty without one."""
    votes: dict[str, str] = st.session_state.get(VOTES, {})
    return votes.get(poll.id) or polls.current().snapshot().votes.get(voter(), "")


def address(poll: Poll) -> dict[str, str]:
    """Return the URL parameters of the state that a poll asks about."""
    machine, default = machine_of(poll), machine_picker.DEFAULT
    given = {"step": poll.step}
    if poll.round > 1:
        given["round"] = str(poll.round)
    if machine.kind != machine_picker.default_kind():
        given[machine_picker.KIND] = machine.kind
    if machine.is_simulated:
        if machine.gpus != default.gpus:
            given[machine_picker.GPUS] = str(machine.gpus)
        if machine.memory_gib != default.memory_gib:
            given[machine_picker.MEMORY] = str(int(machine.memory_gib))
    return given


def choose_machine(poll: Poll) -> None:
    """Choose the machine on which a poll asks; called before its widgets are drawn."""
    machine = machine_of(poll)
    values: dict[str, object] = {machine_picker.KIND: machine.kind}
    if machine.is_simulated:
        values |= {
            machine_picker.GPUS: machine.gpus,
            machine_picker.MEMORY: int(machine.memory_gib),
        }
    for name, value in values.items():
        if st.session_state.get(name) != value:
            st.session_state[name] = value


def phase(snapshot: Snapshot) -> str:
    """Return a text that changes when the asked page must be drawn again."""
    poll = snapshot.poll
    return f"{poll.id} {poll.is_open} {poll.stage.has_answer}" if poll else ""


# -- the banner --------------------------------------------------------------------------------


def route() -> Route:
    """Return the route of the banner's data."""
    return Route("/api/poll", answer_poll)


async def answer_poll(request: Request) -> Response:
    """Answer with the banner of the current poll as JSON; with 204 if no question is asked."""
    who, live = _voter_of(request.scope), polls.current()
    if who:
        live.note_present(who)
    snapshot = live.snapshot(may_wait=False)
    language = catalog.Language(language_of(request.scope))
    found = banner(snapshot, who, language)
    if found is None:
        return Response(status_code=204, headers=NO_STORE)
    return JSONResponse(found, headers=NO_STORE)


def banner(snapshot: Snapshot, who: str, language: catalog.Language) -> dict[str, object] | None:
    """Return the banner of a poll; None without one.

    Args:
        snapshot: The state of the polls.
        who: The student's id; empty for a teacher.
        language: Of the texts.
    """
    poll = snapshot.poll
    if poll is None or polled_step(poll) is None:
        return None
    if poll.stage.has_answer:
        here = away = action = ""
    else:
        state = "closed" if not poll.is_open else "voted" if who in snapshot.votes else "asked"
        title = catalog.lesson(poll.lesson).step(poll.step).title.said(language)
        here = table()[f"live.here-{state}"].said(language)
        away = table()[f"live.away-{state}"].filled(language, title=title.replace("`", ""))
        action = table()["live.go"].said(language)
    return {
        "phase": phase(snapshot),
        "path": f"/{poll.lesson}",
        "query": address(poll),
        "here": here,
        "away": away,
        "action": action,
    }


def _voter_of(scope: Scope) -> str:
    """Return the student of a request, as ``voter`` does for a session."""
    if settings.current().gate is Gate.OPEN:
        known = framework_internals.browser_id(Request(scope).cookies)
        return user_id(Gate.OPEN, known) if known else ""
    who = visitor_of_request(scope)
    if who is None or who.is_teacher:
        return ""
    if settings.current().gate is Gate.CODE:
        return user_id(Gate.CODE, who.id)
    issuer, _, subject = who.id.partition(" ")
    return user_id(Gate.OIDC, issuer, subject)
