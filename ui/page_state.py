"""The state of a lesson and its steps in a visit; the URL and events change it.

The state is stored in the session. The URL holds step and settings, never the answer.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import streamlit as st

from playground import catalog
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.modules.spec.link import from_link
from playground.steps import Answer, Step, load_step
from ui import error_page, live_poll, machine_picker, progress, url_state
from ui.lab.session import LabSession, session_for_step
from ui.language import current_language, say
from ui.panel import controls, plain, view
from ui.panel.component import Event
from ui.step_state import (
    ROUND,
    StepState,
    change_step,
    on_machine,
    open_round,
    round_address,
)

STEP = "step"  # in the URL
SHOWN = "page-shown"  # in the session: the key of the page that was drawn last
MAX_ADDRESSES = 2  # that a run may have: the browser's at the event before, and the panel's own
SUMMARY = "summary"  # in place of a step's id: the end of the lesson
KEPT = ("lang", "machine", "gpus", "memory", plain.CHOICE)  # parameters of the whole page


Below = Callable[[str, StepState, catalog.StepWords, Answer | None], None]


@dataclass(slots=True)
class PageState:
    """The state of a lesson in a visit.

    Attributes:
        key: The lesson's name, or the name of another page that shows one step.
        current: The id of the step that is shown, or ``SUMMARY``.
        acknowledged: The serial number of the last event that was handled.
        query: The URL's query that was written last.
        overwritten: The number of events at which the browser had another URL than the panel's.
        addresses: The last URLs that the browser had or the panel wrote, without parameters of
            the whole app.
        problem: A sentence about the last event.
        opens_lab: The next drawing switches to the lab.
        brought: The visitor's network from the builder, as in a link.
        answered: The settings of the last answer that was shown.
        answer: Of the current step; None before it is revealed.
        below: Functions that draw the controls below the program of a step, by its id.
    """

    lesson: catalog.Lesson
    key: str
    current: str
    acknowledged: int = 0
    query: str = ""
    overwritten: int = 0
    addresses: deque[Mapping[str, str]] = field(default_factory=lambda: deque(maxlen=MAX_ADDRESSES))
    steps: dict[str, StepState] = field(default_factory=dict)
    problem: str = ""
    opens_lab: bool = False
    brought: str = ""
    answered: Step | None = None
    answer: Answer | None = None
    below: Mapping[str, Below] = field(default_factory=dict)

    @property
    def is_home(self) -> bool:
        """The home page shows one step of the lesson."""
        return self.key != self.lesson.name


def open_page(lesson: catalog.Lesson, *, key: str = "", current: str = "") -> PageState:
    """Return the state of a lesson, or of the step that another page shows.

    Args:
        lesson: The lesson.
        key: The name of that other page; empty for the lesson's own.
        current: The first step to show; empty for the first that is not done.
    """
    lesson = lesson if key else url_state.follow_plan(lesson)
    key = key or lesson.name
    name = f"page-{key}"
    if name not in st.session_state:
        undone = [each.id for each in lesson.steps if not progress.is_done(lesson.name, each.id)]
        current = current or (undone or [lesson.steps[0].id])[0]
        st.session_state[name] = PageState(lesson, key, current)
    page: PageState = st.session_state[name]
    page.lesson = lesson
    if page.current not in (SUMMARY, *(each.id for each in lesson.steps)):
        page.current = lesson.steps[0].id
    return page


def follow_address(page: PageState) -> None:
    """Read network, step and settings from the URL if the visitor has followed a link.

    A run may have an outdated URL: Streamlit knows the browser's URL at the time of the request,
    and the panel writes the new one after that.
    """
    given = st.query_params.to_dict()
    is_known = _own(given) in page.addresses
    is_arrival = st.session_state.get(SHOWN) != page.key
    st.session_state[SHOWN] = page.key
    note_address(page)
    if is_known and not is_arrival:
        return
    page.problem = ""
    take_network(page)
    if not (STEP in given or page.is_home):
        return
    found = page.current if page.is_home else find_step(page.lesson, given[STEP])
    if found is None:
        return
    page.current = found
    if found == SUMMARY:
        return
    state = step_state(page, found)
    if (number := given.get(ROUND, "")).isdecimal():
        open_round(state, page.lesson.step(found).words.rounds, int(number[:4]))
    for name, value in given.items():
        try:
            state.step = controls.changed(state.step, name, value)
        except InvalidSettingError:  # another parameter, or nonsense: the default stands
            continue
    if given.get(url_state.ANSWER) == url_state.ANSWER_SHOWN:
        state.said.setdefault(state.step, view.SKIPPED)


def note_address(page: PageState) -> None:
    """Note the URL that the browser had at the last event."""
    _remember_address(page, _own(st.query_params.to_dict()))


def take_network(page: PageState) -> None:
    """Read the network in the URL; the lesson keeps it for the visit."""
    link = st.query_params.get(url_state.NETWORK, "")
    if link in ("", page.brought):
        return
    try:
        from_link(link)
    except InvalidSpecError:
        page.problem = say("network.broken-link")
        return
    page.brought = link
    for state in page.steps.values():
        state.step = with_network(page, state.step)


def with_network(page: PageState, step: Step) -> Step:
    """Return the settings with the visitor's network, if there is one and the step takes it."""
    name = controls.network_field(step)
    try:
        return controls.changed(step, name, page.brought) if name and page.brought else step
    except InvalidSettingError:  # it is a network, and not one for this step
        return step


def open_polled_step(lesson: catalog.Lesson, step_id: str, number: int) -> None:
    """Open a step at a round, as it is without any change of the visitor's.

    Args:
        lesson: The lesson.
        step_id: The step.
        number: Of the round, from 1.
    """
    page = open_page(lesson)
    if page.lesson.steps != lesson.steps:
        url_state.leave_plan(lesson.name)
        page.lesson = lesson
    page.current, page.problem, page.answered = step_id, "", None
    state = step_state(page, step_id)
    state.is_edited = False
    open_round(state, lesson.step(step_id).words.rounds, number)


def find_step(lesson: catalog.Lesson, given: str) -> str | None:
    """Find a step by its id, or by an id of an older link."""
    for each in lesson.steps:
        if given in (each.id, *each.words.previous_ids):
            return each.id
    return SUMMARY if given == SUMMARY else None


def step_state(page: PageState, step_id: str) -> StepState:
    """Return the state of a step on the current machine."""
    if step_id not in page.steps:
        kind = load_step(page.lesson.name, step_id)
        step = with_network(page, kind())
        page.steps[step_id] = StepState(on_machine(step, machine_picker.current()))
    state = page.steps[step_id]
    state.step = on_machine(state.step, machine_picker.current())
    if not (state.is_recalled or page.is_home or progress.is_pending()):
        recall(page.lesson, step_id, state)
    return state


def recall(lesson: catalog.Lesson, step_id: str, state: StepState) -> None:
    """Reveal the answer of a step that was predicted in an earlier visit."""
    state.is_recalled = True
    ids = (step_id, *lesson.step(step_id).words.previous_ids)
    is_new = not state.said and not controls.ids(state.step) and not state.step.is_watched
    if is_new and any(progress.earlier_answer(lesson.name, each) for each in ids):
        state.said[state.step] = view.SKIPPED


def _remember_address(page: PageState, own: Mapping[str, str]) -> None:
    if own in page.addresses:
        page.addresses.remove(own)
    page.addresses.append(own)


def update_query(page: PageState) -> None:
    """Set the address that the panel writes: the step, and what differs from its defaults.

    It never has an answer. Where the browser had another one, the panel gets a new ``overwritten``
    and writes it, also after Streamlit has put that other one back.
    """
    address = kept_parameters() | _state_address(page)
    page.query = f"?{urlencode(address)}" if address else ""
    page.overwritten += address != st.query_params.to_dict()
    _remember_address(page, _own(address))


def write_address(page: PageState) -> None:
    """Write step and settings into the URL with Streamlit's own means."""
    step = page.steps[page.current].step if page.current in page.steps else None
    address = _state_address(page)
    for name in (STEP, ROUND, *(each.name for each in (step.declared() if step else ()))):
        if name not in address and name in st.query_params:
            del st.query_params[name]
        elif name in address and st.query_params.get(name) != address[name]:
            st.query_params[name] = address[name]


def _state_address(page: PageState) -> dict[str, str]:
    """Return step, round, and the settings that differ from those of the round."""
    state = page.steps.get(page.current)
    if page.is_home:
        return controls.ids(state.step) if state else {}
    given = {STEP: page.current, **url_state.link_options(page.lesson)}
    if state is None:
        return given
    rounds = page.lesson.step(page.current).words.rounds
    return given | round_address(state.step, rounds, state.round)


def network_of(step: Step) -> str:
    """Return the visitor's network in the settings of a step; empty if there is none."""
    name = controls.network_field(step)
    return str(getattr(step, name)) if name else ""


def kept_parameters() -> dict[str, str]:
    """Return the URL parameters that all pages share."""
    given = st.query_params.to_dict()  # once: each question to it is slow
    return {name: given[name] for name in KEPT if name in given}


def _own(parameters: Mapping[str, str]) -> Mapping[str, str]:
    """Return the URL parameters of a lesson's page alone."""
    return {name: value for name, value in parameters.items() if name not in KEPT}


def edited_program(page: PageState) -> LabSession | None:
    """Return the visitor's version of the program if it replaces the step's."""
    state = page.steps.get(page.current)
    return state.lab if state and state.is_edited else None


def edit(page: PageState, state: StepState) -> None:
    """Open the step's program in the editor; an earlier version of the visitor's stays."""
    start, program = f"{page.lesson.name}/{page.current}", f"{state.step.program()}\n"
    state.lab = state.lab or session_for_step(start)
    state.is_edited = True
    if state.lab.origin != program:
        state.lab.open(program, start=start)


def handle_event(page: PageState, event: Event) -> None:
    """Handle one event; for an invalid value show a sentence and change nothing."""
    if event.get("type") != "restore":  # which the panel sends by itself, as it comes up
        page.problem, page.answered = "", None
    try:
        apply_event(page, event)
    except InvalidSettingError as error:
        labels = view.labels_of(page.lesson.step(page.current), current_language())
        page.problem = error_page.sentence(error, labels)


def apply_event(page: PageState, event: Event) -> None:
    """Change the state by one event.

    Raises:
        InvalidSettingError: A control sent a value that is not allowed.
    """
    kind = event.get("type")
    if kind == "step":
        page.current = find_step(page.lesson, str(event.get("id"))) or page.current
    elif kind == "restore":
        progress.restore(event.get("stored"))
    elif kind == "lab":
        page.opens_lab = page.current != SUMMARY
    elif kind == "edit" and page.current != SUMMARY:
        edit(page, step_state(page, page.current))
    elif page.current != SUMMARY:
        state, words = step_state(page, page.current), page.lesson.step(page.current)
        poll = None if page.is_home else live_poll.withheld(state.step)
        if poll is None or kind not in ("answer", "run", "again"):
            change_step(state, words, event)
        elif kind == "answer":
            is_counted = live_poll.vote(poll, words, state.step, str(event.get("id")))
            if is_counted and not state.step.is_watched:  # which would begin to run
                change_step(state, words, event)
