"""The page of a lesson whose steps are modules: one step at a time, in one fragment.

What a visitor does arrives as events of the panel. They change the state of the page, which is
kept in the session; the address says step and settings, never the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import streamlit as st

from hosting.limits import experiments
from hosting.metrics import times
from playground import catalog, compute, export
from playground.errors import InvalidSettingError, InvalidSpecError, PlaygroundError
from playground.machines import Machine
from playground.modules.spec.link import from_link
from playground.steps import Answer, Step, load_step
from ui import (
    failures,
    keeping,
    language,
    lesson_header,
    machine_picker,
    progress,
    rerun,
    step_files,
    take_away,
    waiting,
)
from ui.lab import opening
from ui.lab.desk import Desk, beside
from ui.network import PARAMETER
from ui.panel import component, controls, plain, view
from ui.panel.component import Event
from ui.words import say

STEP = "step"  # in the address
HOME = "home"  # the key of the page that shows one step
SUMMARY = "summary"  # in place of a step's id: the end of the lesson
IN_LESSON = ("edit", "lab")  # not on home either
NOT_ON_HOME = ("overline", "challenges", "rounds", "previous", "next", "link")
BESIDE_EDITOR = (
    *("key", "lang", "words", "title", "prose_html", "overline"),
    *("heard", "query"),
)
STEP_BACK, TO_LAB = {"type": "unedit"}, {"type": "lab"}
KEPT = ("lang", "machine", "gpus", "memory", plain.CHOICE)  # parameters of the whole page


@dataclass(slots=True)
class StepState:
    """What a visit knows of one step.

    Attributes:
        step: The settings.
        said: What was said before each run, by settings; ``view.SKIPPED`` where nothing was.
        round: From 1; the settings that a step begins with are the first.
        desk: The visitor's own version of the program; None before it was first edited.
        is_edited: That version stands in place of the step's program.
    """

    step: Step
    said: dict[Step, str] = field(default_factory=dict)
    round: int = 1
    desk: Desk | None = None
    is_edited: bool = False


@dataclass(slots=True)
class PageState:
    """What a visit knows of one lesson.

    Attributes:
        key: Of the page: the lesson's name, or that of the page that shows one step.
        current: The id of the step that is shown, or ``SUMMARY``.
        heard: The serial number of the last event that was handled.
        query: The address that was written last.
        predictions: First predictions: what was said, and what happened.
        problem: A sentence about what the visitor just did.
        leaves: The visitor goes on from the home page to the lesson.
        opens_lab: The visitor takes the program of the step to the lab.
        brought: The network that the visitor has brought from the builder, as a link has it.
        answer: Of the step that is shown; None where it is not revealed.
    """

    lesson: catalog.Lesson
    key: str
    current: str
    heard: int = 0
    query: str = ""
    steps: dict[str, StepState] = field(default_factory=dict)
    predictions: dict[str, tuple[str, str]] = field(default_factory=dict)
    problem: str = ""
    leaves: bool = False
    opens_lab: bool = False
    brought: str = ""
    answer: Answer | None = None

    @property
    def is_home(self) -> bool:
        """One step of the lesson stands on the home page."""
        return self.key != self.lesson.name


def show(name: str) -> None:
    """Draw the page of a lesson."""
    page = page_state(catalog.lesson(name))
    forget_home()
    take_network(page)
    follow_address(page)
    st.fragment(draw, key=f"lesson-{name}")(page)
    machine, tongue = machine_picker.current(), language.current()
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away.draw(page.lesson, machine, lambda: shown_steps(page, machine, tongue))
        draw_foot()


def shown_steps(
    page: PageState, machine: Machine, tongue: catalog.Language
) -> list[export.ShownStep]:
    """Every step with its program and, where it was run, its answer; needs no Streamlit run."""
    shown = []
    for words in page.lesson.steps:
        state = page.steps.get(words.id)
        default = load_step(page.lesson.name, words.id)()
        step = on_machine(state.step if state else default, machine)
        is_known = state is not None and step in state.said
        try:
            lines = compute.run(step).lines if is_known else ()
        except PlaygroundError:  # then the program comes without its answer
            lines = ()
        line = step.asked_line()
        shown.append(
            export.ShownStep(
                id=words.id,
                title=words.title.said(tongue),
                prose=words.prose.filled(tongue, line=line),
                program=step.program(),
                lines=lines,
            )
        )
    return shown


def draw_foot() -> None:
    """Below the step: the choice of ordinary controls, by hand or where the panel is missing."""
    plain.draw_choice()
    plain.watch(progress.is_restored)


def go_on(page: PageState) -> None:
    """Lead from the home page to the lesson's own page."""
    st.switch_page(lesson_header.page_of(page.lesson), query_params={STEP: page.current})


def go_on_from_home() -> None:
    """Do so again where Streamlit has dropped the request: another part was being drawn."""
    home = st.session_state.get(f"page-{HOME}")
    if isinstance(home, PageState) and home.leaves:
        go_on(home)


def forget_home() -> None:
    """Let the home page begin with its own step again, once its visitor has gone on from there."""
    home = st.session_state.get(f"page-{HOME}")
    if isinstance(home, PageState) and home.leaves:
        del st.session_state[f"page-{HOME}"]


def page_state(lesson: catalog.Lesson, *, key: str = "", current: str = "") -> PageState:
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
    """Take step and settings from the address, where it is another than was written last."""
    given = st.query_params.to_dict()
    if f"?{urlencode(given)}" == page.query or not (STEP in given or page.is_home):
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
        if each.words and given in (each.id, *each.words.previous_ids):
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
    return state


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


def draw(page: PageState) -> None:
    """Draw the step that the visitor is at; the body of the fragment."""
    if page.leaves:
        go_on(page)
    if page.opens_lab:
        open_lab(page)
    rerun.send_whole()
    key = f"panel-{page.key}"
    notice = st.empty()
    data = summary_data(page) if page.current == SUMMARY else step_data(page, notice)
    page.query = f"?{urlencode(query(page))}"
    data |= {
        "key": f"{page.lesson.name}/{page.current}{'/edited' if edited(page) else ''}",
        "heard": page.heard,
        "query": page.query,
        "link": f"{str(st.context.url).partition('?')[0]}{page.query}",
    }
    if edited(page):
        data = {name: data[name] for name in BESIDE_EDITOR if name in data} | {"lines": ()}
    if page.is_home:
        data = on_home(data)
    else:
        data["rail"] = rail(page)
        progress.visit(page.lesson.name, page.current)
    if (stored := progress.stored()) is not None:
        data["store"] = stored
    if page.problem:
        notice.warning(page.problem)
        page.problem = ""
    if plain.is_chosen():
        plain.draw(f"{page.key}-{page.current}", data, lambda event: take(page, event))
    else:
        component.draw(key, data, lambda: handle(page, key))
    if page.current != SUMMARY:
        draw_below(page)


def draw_below(page: PageState) -> None:
    """Draw the editor where the program is edited, else what the step has below its program."""
    if desk := edited(page):
        from ui.lab import in_place  # it loads plotly, which the first page can do without

        in_place.draw(desk, lambda: take(page, STEP_BACK), lambda: take(page, TO_LAB))
    elif not page.is_home:
        step_files.draw(page.steps[page.current].step)


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


def open_lab(page: PageState) -> None:
    """Switch to the lab with the program that is on the screen."""
    page.opens_lab = False
    desk, state = edited(page), step_state(page, page.current)
    program = desk.text if desk else state.step.program()
    opening.go(program, f"{page.lesson.name}/{page.current}")
    page.problem = say("lab.no-link")  # still here


def on_home(data: view.Data) -> view.Data:
    """The step on the home page: its program, question and answer, and one way on."""
    kept = {name: value for name, value in data.items() if name not in NOT_ON_HOME}
    kept["words"] = {
        name: text for name, text in view.interface_words().items() if name not in IN_LESSON
    }
    is_answered = "reason_html" in data
    return {**kept, "level": 2, **({"next": data["next"]} if is_answered else {})}


def step_data(page: PageState, notice: "st.delta_generator.DeltaGenerator") -> view.Data:
    """The data of a step, its answer included where it is revealed."""
    words = page.lesson.step(page.current)
    assert words.words is not None
    state = step_state(page, words.id)
    is_revealed = state.step in state.said or words.prediction is None
    answer = look_up(page, state.step, notice) if is_revealed else None
    page.answer = answer
    if answer is not None:
        note(page, words, state, answer)
    rounds = words.words.rounds
    asked = rounds[state.round - 2].question if state.round > 1 else None
    parts = {each.id for each in words.words.challenges}
    lesson = page.lesson.name
    shown = view.Shown(
        step=state.step,
        words=words,
        devices=machine_picker.devices(machine_picker.current()),
        language=language.current(),
        answer=answer,
        said=state.said.get(state.step, ""),
        is_asked_lightly=bool(state.said),
        question=asked,
        met=frozenset(id for id in parts if progress.is_done(lesson, f"challenge/{id}")),
        brought=page.brought,
    )
    number = [each.id for each in page.lesson.steps].index(words.id) + 1
    data = view.step_data(shown)
    data["overline"] = say(
        "panel.step-of",
        lesson=page.lesson.title.said(shown.language),
        number=number,
        count=len(page.lesson.steps),
    )
    if host := state.step.host():
        data["badge"] = machine_picker.badge(host)
    if rounds:
        data["rounds"] = {"now": state.round, "count": len(rounds) + 1}
    following = page.lesson.steps[number : number + 1]
    title = following[0].title.said(shown.language) if following else say("panel.summary")
    data["next"] = {
        "id": following[0].id if following else SUMMARY,
        "label": say("panel.next-step", title=title),
        "is_primary": answer is not None,
    }
    if number > 1:
        before = page.lesson.steps[number - 2]
        data["previous"] = {"id": before.id, "label": before.title.said(shown.language)}
    return data


def look_up(
    page: PageState, step: Step, notice: "st.delta_generator.DeltaGenerator"
) -> Answer | None:
    """The answer of a step; None, with a sentence on the page, where there is none."""
    status = waiting.Waiting()

    def wait(place: int) -> None:
        words = "step.waiting" if place else "step.starting"
        status.tell(notice.container(), words, place=place)

    def run(seconds: float) -> None:
        if seconds >= waiting.PATIENCE_SECONDS:
            status.tell(notice.container(), "step.running", seconds=f"{seconds:.0f}")

    try:
        experiments.admit(rerun.session())
        with times.experiment():
            return compute.run(step, on_wait=wait, on_run=run)
    except PlaygroundError as error:
        page.problem = failures.sentence(error, {})
        return None
    finally:
        status.end()


def note(page: PageState, words: catalog.Step, state: StepState, answer: Answer) -> None:
    """Keep what was predicted and done: once for each step, challenges whenever they are met."""
    lesson, said = page.lesson.name, state.said.get(state.step, "")
    if said not in ("", view.SKIPPED) and words.id not in page.predictions:
        page.predictions[words.id] = (said, answer.prediction)
        keeping.note_answer(lesson, words.id, said, answer.prediction)
    progress.mark(lesson, words.id)
    assert words.words is not None
    module = load_step(lesson, words.id).__module__
    for challenge in words.words.challenges:
        if catalog.is_met(module, challenge, state.step, answer):
            progress.mark(lesson, f"challenge/{challenge.id}")


def rail(page: PageState) -> tuple[Mapping[str, str], ...]:
    """Every step of the lesson, with what the visitor has done."""
    lesson, tongue = page.lesson, language.current()
    states = {True: "done", False: "open"}
    return tuple(
        {
            "id": each.id,
            "title": each.title.said(tongue),
            "state": "current"
            if each.id == page.current
            else states[progress.is_done(lesson.name, each.id)],
        }
        for each in lesson.steps
    )


def query(page: PageState) -> Mapping[str, str]:
    """The address: the step, and what differs from its defaults; never an answer."""
    kept = {name: st.query_params[name] for name in KEPT if name in st.query_params}
    own = controls.ids(page.steps[page.current].step) if page.current in page.steps else {}
    return {**kept, **({} if page.is_home else {STEP: page.current}), **own}


def summary_data(page: PageState) -> view.Data:
    """The end of a lesson: what to remember, and the predictions."""
    tongue = language.current()
    return {
        "words": view.interface_words(),
        "title": say("panel.summary"),
        "prose_html": "",
        "lines": (),
        "reason_html": view.summary_html(page.lesson, page.predictions, tongue),
    }


def handle(page: PageState, key: str) -> None:
    """Handle what the visitor has done since the last event."""
    for event in component.events(key, page.heard):
        page.heard = int(event["serial"])
        take(page, event)


def take(page: PageState, event: Event) -> None:
    """Handle one event; a value that is not allowed changes nothing and is told."""
    try:
        react(page, event)
    except InvalidSettingError as error:
        page.problem = failures.sentence(error, {})


def react(page: PageState, event: Event) -> None:
    """Change the state by one event.

    Raises:
        InvalidSettingError: A control sent a value that is not allowed.
    """
    kind = event.get("type")
    if kind == "step":
        page.current = find_step(page.lesson, str(event.get("id"))) or page.current
        page.leaves = page.is_home
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
        case {"type": "round", "number": int(number)} if words.words:
            begin_round(state, words.words.rounds, number)


def begin_round(state: StepState, rounds: tuple[catalog.Round, ...], number: int) -> None:
    """Set the settings of a round, and ask again."""
    state.round = min(max(number, 1), len(rounds) + 1)
    given = rounds[state.round - 2].settings if state.round > 1 else {}
    state.step = on_machine(type(state.step).of(given), machine_picker.current())
    state.said.pop(state.step, None)
