"""The page of a lesson whose steps are modules: one step at a time, in one fragment."""

from collections.abc import Mapping

import streamlit as st

from hosting.limits import experiments
from hosting.metrics import times
from playground import catalog, compute, export
from playground.errors import PlaygroundError
from playground.machines import Machine
from playground.steps import Answer, Step, load_step
from ui import (
    address,
    failures,
    keeping,
    language,
    live,
    machine_picker,
    page_state,
    progress,
    rerun,
    step_files,
    take_away,
    waiting,
)
from ui.lab import opening
from ui.page_state import SUMMARY, Below, PageState, StepState
from ui.panel import component, plain, view
from ui.quoting import quote_markdown
from ui.words import say

CHAPTER = "chapter"  # in the address of a quiz
IN_LESSON = ("edit", "lab")  # not on home either
NOT_ON_HOME = ("overline", "challenges", "rounds", "previous", "next", "link")
NOT_WHILE_RUN = ("question", "challenges", "rounds", "previous", "next")
BESIDE_EDITOR = (
    *("key", "lang", "words", "title", "overline"),
    *("heard", "query"),
)
STEP_BACK, TO_LAB = {"type": "unedit"}, {"type": "lab"}


def show(name: str, below: Mapping[str, Below] | None = None) -> None:
    """Draw the page of a lesson.

    Args:
        name: The lesson's name.
        below: What draws the controls below the program of a step, by its id.
    """
    page = page_state.open_page(catalog.lesson(name))
    page.below = below or {}
    page_state.follow_address(page)
    draw_trouble()
    st.fragment(draw, key=f"lesson-{name}")(page)
    machine, tongue = machine_picker.current(), language.current()
    with st.container(horizontal=True, vertical_alignment="center"):
        take_away.draw(page.lesson, machine, lambda: shown_steps(page, machine, tongue))
        draw_foot()


def draw_trouble() -> None:
    """Say that the server cannot run programs, or not on its GPU."""
    status = compute.status()
    if status.problem:
        st.warning(say("failures.compute_unavailable"))
    elif status.gpu_problem:
        st.info(say("failures.gpu_unavailable"))


def shown_steps(
    page: PageState, machine: Machine, tongue: catalog.Language
) -> list[export.ShownStep]:
    """Every step with its program and, where it was run, its answer; needs no Streamlit run."""
    shown = []
    for words in page.lesson.steps:
        state = page.steps.get(words.id)
        default = load_step(page.lesson.name, words.id)()
        step = page_state.on_machine(state.step if state else default, machine)
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


def draw(page: PageState) -> None:
    """Draw the step that the visitor is at; the body of the fragment."""
    page_state.note_address(page)
    if page.opens_lab:
        open_lab(page)
    rerun.send_whole()
    key = f"panel-{page.key}"
    notice = st.empty()
    data = summary_data(page) if page.current == SUMMARY else step_data(page, notice)
    page.query = page_state.query(page)
    data |= {
        "key": f"{page.lesson.name}/{page.current}{'/edited' if page_state.edited(page) else ''}",
        "heard": page.heard,
        "query": page.query,
        "link": f"{str(st.context.url).partition('?')[0]}{page.query}",
    }
    if page_state.edited(page):
        data = {name: data[name] for name in BESIDE_EDITOR if name in data}
        data |= {"lines": (), "prose_html": quote_markdown(say("panel.edit-lead"))}
    if page.is_home:
        data = on_home(data)
    else:
        data["rail"] = rail(page)
        progress.visit(page.lesson.name, page.current)
    if (stored := progress.stored()) is not None:
        data["store"] = stored
    if page.problem:
        notice.warning(page.problem)
    draw_panel(page, key, data)
    if page.is_home and "reason_html" in data:
        lead_on(page)
    draw_below(page)


def draw_panel(page: PageState, key: str, data: view.Data) -> None:
    """Draw the step as a panel, or with ordinary controls where these are chosen."""
    if plain.is_chosen():
        if not page.is_home:
            page_state.write_address(page)  # else the component's script does it
        plain.draw(f"{page.key}-{page.current}", data, lambda event: page_state.take(page, event))
        return
    if "idea" in data:
        data["idea_html"] = view.idea_html(str(data.pop("idea")))
    component.draw(key, data, lambda: handle(page, key))


def draw_below(page: PageState) -> None:
    """Draw what stands below the panel: the editor, what the step has there, the way to a quiz."""
    if page.current == SUMMARY:
        lead_to_quiz(page)
    elif desk := page_state.edited(page):
        from ui.lab import in_place  # it loads plotly, which the first page can do without

        in_place.draw(
            desk, lambda: page_state.take(page, STEP_BACK), lambda: page_state.take(page, TO_LAB)
        )
    elif draw_own := page.below.get(page.current):
        words, state = page.lesson.step(page.current).words, page.steps[page.current]
        page.brought = page_state.network_of(state.step) or page.brought
        draw_own(f"{page.lesson.name}_{page.current}", state, words, page.answer)
    elif is_watched(page):
        draw_run(page)
    elif not page.is_home:
        name = f"{page.lesson.name}_{page.current}"
        step_files.draw(name, page.steps[page.current].step, page.answer)


def is_watched(page: PageState) -> bool:
    """Whether the step's experiment is watched, and has not come to its end."""
    state = page.steps[page.current]
    return state.step.is_watched and state.step not in state.runs.answers


def draw_run(page: PageState) -> None:
    """Run the experiment where it is asked for, and show it; else how far it came before."""
    state, words = page.steps[page.current], page.lesson.step(page.current)
    labels = view.labels_of(words, language.current())
    if state.step not in state.said:
        live.show_stopped(state.step, state.runs, labels)
        return
    try:
        live.run(f"{page.key}-{page.current}", state.step, state.runs, labels)
    except live.StoppedError:
        state.said.pop(state.step)
        return
    except PlaygroundError as error:
        state.said.pop(state.step)
        page.problem = failures.sentence(error, {})
    rerun.draw_again()


def open_lab(page: PageState) -> None:
    """Switch to the lab with the program that is on the screen."""
    page.opens_lab = False
    desk, state = page_state.edited(page), page_state.step_state(page, page.current)
    program = desk.text if desk else state.step.program()
    opening.go(program, f"{page.lesson.name}/{page.current}")
    page.problem = say("lab.no-link")  # still here


def on_home(data: view.Data) -> view.Data:
    """The step on the home page: its program, question and answer."""
    kept = {name: value for name, value in data.items() if name not in NOT_ON_HOME}
    kept["words"] = {
        name: text
        for name, text in view.interface_words(language.current()).items()
        if name not in IN_LESSON
    }
    return {**kept, "level": 2}


def lead_on(page: PageState) -> None:
    """Link from the home page to the next step of the lesson.

    The browser follows a link. After ``st.switch_page``, a part of the old page that polls may ask
    Streamlit for another run at that moment, and the new page then stays empty.
    """
    steps = page.lesson.steps
    following = steps[steps.index(page.lesson.step(page.current)) + 1]
    with st.container(key="home-next", horizontal_alignment="right"):
        st.page_link(
            address.page_of(page.lesson),
            label=say("panel.next-step", title=following.title.said(language.current())),
            icon=":material/arrow_forward:",
            icon_position="right",
            query_params={**page_state.kept_parameters(), page_state.STEP: following.id},
        )


def lead_to_quiz(page: PageState) -> None:
    """Link from the end of a chapter to its quiz."""
    chapter = page.lesson.chapter
    *_, last = (each for each in catalog.lessons() if each.chapter == chapter)
    if page.lesson == last:
        with st.container(key="to-quiz"):
            st.page_link(
                address.PAGES / "quiz.py",
                label=say("quiz.entry"),
                icon=":material/arrow_forward:",
                icon_position="right",
                query_params={**page_state.kept_parameters(), CHAPTER: chapter},
            )


def step_data(page: PageState, notice: "st.delta_generator.DeltaGenerator") -> view.Data:
    """The data of a step, its answer included where it is revealed."""
    words = page.lesson.step(page.current)
    state = page_state.step_state(page, words.id)
    is_revealed = state.step in state.said or words.prediction is None
    answer = None
    if state.step.is_watched:
        answer = state.runs.answers.get(state.step) if is_revealed else None
    elif is_revealed:
        answer = look_up(state.step, notice)
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
    if is_revealed and answer is None and state.step.is_watched:  # it is being run, below
        data = {name: value for name, value in data.items() if name not in NOT_WHILE_RUN}
    return data


def look_up(step: Step, notice: "st.delta_generator.DeltaGenerator") -> Answer | None:
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
        failed = failures.sentence(error, {})
    finally:
        status.end()
    notice.warning(failed)
    return None


def note(page: PageState, words: catalog.Step, state: StepState, answer: Answer) -> None:
    """Keep what was predicted and done: once for each step, challenges whenever they are met."""
    lesson, said = page.lesson.name, state.said.get(state.step, "")
    if said not in ("", view.SKIPPED) and words.id not in page.predictions:
        page.predictions[words.id] = (said, answer.prediction)
        keeping.note_answer(lesson, words.id, said, answer.prediction)
    progress.mark(lesson, words.id)
    for challenge in words.words.challenges:
        if state.step.meets(challenge.id, answer):
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


def summary_data(page: PageState) -> view.Data:
    """The end of a lesson: what to remember, and the predictions."""
    tongue = language.current()
    return {
        "words": view.interface_words(language.current()),
        "title": say("panel.summary"),
        "prose_html": "",
        "lines": (),
        "reason_html": view.summary_html(page.lesson, page.predictions, tongue),
    }


def handle(page: PageState, key: str) -> None:
    """Handle what the visitor has done since the last event."""
    for event in component.events(key, page.heard):
        page.heard = int(event["serial"])
        page_state.take(page, event)
