"""What a visit knows of a lesson and its steps, and how the address and events change it.

The state is kept in the session. The address says step and settings, never the answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from playground import catalog
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.machines import Machine
from playground.modules.spec.link import from_link
from playground.steps import Answer, Step, load_step
from ui import failures, keeping, language, live, machine_picker, progress
from ui.lab.desk import Desk, beside
from ui.network import PARAMETER
from ui.panel import controls, plain, view
from ui.panel.component import Event
from ui.words import say

STEP = "step"  # in the address
SHOWN = "page-shown"  # in the session: the key of the page that was drawn last
SUMMARY = "summary"  # in place of a step's id: the end of the lesson
KEPT = ("lang", "machine", "gpus", "memory", plain.CHOICE)  # parameters of the whole page


@dataclass(slots=True)
class StepState:
    """What a visit knows of one step.

    Attributes:
        step: The settings.
        said: What was said before each run, by settings; ``view.SKIPPED`` where nothing was.
        round: From 1; the settings that a step begins with are the first.
        runs: Those that were watched, where the step's experiment is.
        desk: The visitor's own version of the program; None before it was first edited.
        is_edited: That version stands in place of the step's program.
        is_recalled: It is known whether the step was answered in an earlier visit.
    """

    step: Step
    said: dict[Step, str] = field(default_factory=dict)
    round: int = 1
    runs: live.Runs = field(default_factory=live.Runs)
    desk: Desk | None = None
    is_edited: bool = False
    is_recalled: bool = False


Below = Callable[[str, StepState, catalog.StepWords, Answer | None], None]


@dataclass(slots=True)
class PageState:
    """What a visit knows of one lesson.

    Attributes:
        key: Of the page: the lesson's name, or that of the page that shows one step.
        current: The id of the step that is shown, or ``SUMMARY``.
        heard: The serial number of the last event that was handled.
        query: The address that was written last.
        seen: What the browser's address said of this page at the last event.
        predictions: First predictions: what was said, and what happened.
        problem: A sentence about what the visitor just did.
        opens_lab: The visitor takes the program of the step to the lab.
        brought: The network that the visitor has brought from the builder, as a link has it.
        answer: Of the step that is shown; None where it is not revealed.
        below: What draws the controls below the program of a step, by its id.
    """

    lesson: catalog.Lesson
    key: str
    current: str
    heard: int = 0
    query: str = ""
    seen: Mapping[str, str] | None = None
    steps: dict[str, StepState] = field(default_factory=dict)
    predictions: dict[str, tuple[str, str]] = field(default_factory=dict)
    problem: str = ""
    opens_lab: bool = False
    brought: str = ""
    answer: Answer | None = None
    below: Mapping[str, Below] = field(default_factory=dict)

    @property
    def is_home(self) -> bool:
        """One step of the lesson stands on the home page."""
        return self.key != self.lesson.name


def open_page(lesson: catalog.Lesson, *, key: str = "", current: str = "") -> PageState:
    """What this visit knows of a lesson, or of the one step that another page shows.

    Args:
        lesson: The lesson.
        key: Of that other page; empty for the lesson's own.
        current: The step that it begins with; empty for the first that is not done.
    """
    key = key or lesson.name
    name = f"page-{key}"
    if name not in st.session_state:
        undone = [each.id for each in lesson.steps if not progress.is_done(lesson.name, each.id)]
        current = current or (undone or [lesson.steps[0].id])[0]
        st.session_state[name] = PageState(lesson, key, current)
    page: PageState = st.session_state[name]
    return page


def follow_address(page: PageState) -> None:
    """Take network, step and settings from the address, where the visitor came with another one.

    A run may have the address of before the last change: Streamlit knows what the browser had when
    the visitor did something, and the panel writes the new address after that.
    """
    given = st.query_params.to_dict()
    written = _own(dict(parse_qsl(page.query.removeprefix("?"), keep_blank_values=True)))
    is_known = _own(given) in (page.seen, written)
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
    for name, value in given.items():
        try:
            state.step = controls.changed(state.step, name, value)
        except InvalidSettingError:  # another parameter, or nonsense: the default stands
            continue


def note_address(page: PageState) -> None:
    """Note the address that the browser had at the last event."""
    page.seen = _own(st.query_params.to_dict())


def take_network(page: PageState) -> None:
    """Take the network of the address; it stays with the lesson for the visit."""
    link = st.query_params.get(PARAMETER, "")
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
    """The settings with the visitor's network, where the step takes one and has been given one."""
    name = controls.network_field(step)
    try:
        return controls.changed(step, name, page.brought) if name and page.brought else step
    except InvalidSettingError:  # it is a network, and not one for this step
        return step


def find_step(lesson: catalog.Lesson, given: str) -> str | None:
    """The id of a step by an id of today or of an older link."""
    for each in lesson.steps:
        if given in (each.id, *each.words.previous_ids):
            return each.id
    return SUMMARY if given == SUMMARY else None


def step_state(page: PageState, step_id: str) -> StepState:
    """What this visit knows of a step, on the machine that the visitor has now."""
    if step_id not in page.steps:
        kind = load_step(page.lesson.name, step_id)
        step = with_network(page, kind())
        page.steps[step_id] = StepState(on_machine(step, machine_picker.current()))
    state = page.steps[step_id]
    state.step = on_machine(state.step, machine_picker.current())
    if not (state.is_recalled or page.is_home or keeping.is_awaited()):
        recall(page.lesson, step_id, state)
    return state


def recall(lesson: catalog.Lesson, step_id: str, state: StepState) -> None:
    """Reveal the answer of a step that was answered in an earlier visit; it is not judged again."""
    state.is_recalled = True
    ids = (step_id, *lesson.step(step_id).words.previous_ids)
    is_new = not state.said and not controls.ids(state.step) and not state.step.is_watched
    if is_new and any(keeping.said_before(lesson.name, each) for each in ids):
        state.said[state.step] = view.SKIPPED


def on_machine(step: Step, machine: Machine) -> Step:
    """The settings on a machine; a device that it has not gives way to the defaults."""
    if not hasattr(step, "machine") or step.machine == machine:
        return step
    try:
        return step.replaced(machine=machine)
    except InvalidSettingError:
        pass
    try:
        return type(step).of({}, machine=machine)
    except InvalidSettingError:  # not even those: every device becomes the CPU
        names = [each for each, value in vars(step).items() if str(value).startswith("cuda")]
        return type(step).of(dict.fromkeys(names, "cpu"), machine=machine)


def query(page: PageState) -> str:
    """The address: the step, and what differs from its defaults; never an answer."""
    own = controls.ids(page.steps[page.current].step) if page.current in page.steps else {}
    return _as_query(kept_parameters() | ({} if page.is_home else {STEP: page.current}) | own)


def write_address(page: PageState) -> None:
    """Put step and settings into the address by Streamlit's own means."""
    step = page.steps[page.current].step if page.current in page.steps else None
    address = {STEP: page.current, **(controls.ids(step) if step else {})}
    for name in (STEP, *(each.name for each in (step.declared() if step else ()))):
        if name not in address and name in st.query_params:
            del st.query_params[name]
        elif name in address and st.query_params.get(name) != address[name]:
            st.query_params[name] = address[name]


def network_of(step: Step) -> str:
    """The visitor's network in the settings of a step; empty where there is none."""
    name = controls.network_field(step)
    return str(getattr(step, name)) if name else ""


def kept_parameters() -> dict[str, str]:
    """What the address says of all pages."""
    return {name: st.query_params[name] for name in KEPT if name in st.query_params}


def _own(parameters: Mapping[str, str]) -> Mapping[str, str]:
    """What the address says of a lesson's page alone."""
    return {name: value for name, value in parameters.items() if name not in KEPT}


def _as_query(parameters: Mapping[str, str]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def edited(page: PageState) -> Desk | None:
    """The visitor's version of the program, where it stands in place of the step's."""
    state = page.steps.get(page.current)
    return state.desk if state and state.is_edited else None


def edit(page: PageState, state: StepState) -> None:
    """Open the step's program in the editor; what the visitor made of it before stays."""
    start, program = f"{page.lesson.name}/{page.current}", f"{state.step.program()}\n"
    state.desk = state.desk or beside(start)
    state.is_edited = True
    if state.desk.origin != program:
        state.desk.open(program, start=start)


def take(page: PageState, event: Event) -> None:
    """Handle one event; a value that is not allowed changes nothing and is told."""
    if event.get("type") != "restore":  # which the panel sends by itself, as it comes up
        page.problem = ""
    try:
        react(page, event)
    except InvalidSettingError as error:
        labels = view.labels_of(page.lesson.step(page.current), language.current())
        page.problem = failures.sentence(error, labels)


def react(page: PageState, event: Event) -> None:
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
        alter(step_state(page, page.current), page.lesson.step(page.current), event)


def alter(state: StepState, words: catalog.Step, event: Event) -> None:
    """Change the state of a step by one event.

    Raises:
        InvalidSettingError: A control sent a value that is not allowed.
    """
    match event:
        case {"type": "change", "field": str(name), "value": str(value)}:
            state.step = controls.changed(state.step, name, value)
        case {"type": "answer", "id": str(answer)}:
            state.said[state.step] = answer
        case {"type": "unedit"}:
            state.is_edited = False
        case {"type": "run"}:
            state.said[state.step] = view.SKIPPED
        case {"type": "again"}:
            state.said.pop(state.step, None)
        case {"type": "apply"}:
            state.step = controls.fixed(state.step)
            state.said[state.step] = view.SKIPPED
        case {"type": "reset"}:
            begin_round(state, (), 1)
        case {"type": "round", "number": int(number)}:
            begin_round(state, words.words.rounds, number)


def begin_round(state: StepState, rounds: tuple[catalog.Round, ...], number: int) -> None:
    """Set the settings of a round, and ask again."""
    state.round = min(max(number, 1), len(rounds) + 1)
    given = rounds[state.round - 2].settings if state.round > 1 else {}
    state.step = on_machine(type(state.step).of(given), machine_picker.current())
    state.said.pop(state.step, None)
