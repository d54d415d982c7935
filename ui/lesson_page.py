"""The page of a lesson: one step at a time, in one fragment."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from hosting.framework_internals import streamlit_session
from playground import catalog, compute
from playground.errors import PlaygroundError
from playground.steps import Answer
from ui import (
    error_page,
    live_poll,
    machine_picker,
    navigation,
    page_state,
    progress,
    step_run,
    step_widgets,
    url_state,
)
from ui.html_markup import inline_to_html
from ui.lab.url_state import open_lab as switch_to_lab
from ui.language import current_language, say
from ui.page_state import SUMMARY, Below, PageState
from ui.panel import component, plain, view
from ui.step_state import StepState

CHAPTER = "chapter"  # in the URL of a quiz
ONLY_IN_LESSON = ("edit", "lab")  # not on home either
NOT_ON_HOME = ("overline", "row", "challenges", "rounds", "previous", "next", "link")
NOT_WHILE_RUN = ("question", "challenges", "rounds", "previous", "next")
WITH_EDITOR = (
    *("key", "lang", "words", "title", "overline"),
    *("acknowledged", "query", "overwritten"),
)
STEP_BACK, TO_LAB = {"type": "unedit"}, {"type": "lab"}


def show(name: str, below: Mapping[str, Below] | None = None) -> None:
    """Draw the page of a lesson.

    Args:
        name: The lesson's name.
        below: Functions that draw the controls below the program of a step, by its id.
    """
    page = page_state.open_page(catalog.lesson(name))
    page.below = below or {}
    page_state.follow_address(page)
    draw_warnings()
    st.fragment(draw, key=f"lesson-{name}")(page)
    hidden = url_state.hidden_parts()
    with st.container(horizontal=True, vertical_alignment="center"):
        if "download" not in hidden:
            step_widgets.draw_export(page)
        if "plain" not in hidden:
            draw_footer()
    url_state.draw_without_sidebar()


def draw_warnings() -> None:
    """Draw a warning if the server cannot run programs, or not on its GPU."""
    status = compute.status()
    if status.problem:
        st.warning(say("failures.compute_unavailable"))
    elif status.gpu_problem:
        st.info(say("failures.gpu_unavailable"))


def draw_footer() -> None:
    """Draw the switch to ordinary controls; they are chosen too where the panel is missing."""
    plain.draw_choice()
    plain.watch(progress.is_restored)


def draw(page: PageState) -> None:
    """Draw the current step; the body of the fragment."""
    page_state.note_address(page)
    if page.opens_lab:
        open_lab(page)
    key = f"panel-{page.key}"
    notice = st.empty()
    data = summary_data(page) if page.current == SUMMARY else step_data(page, notice)
    page_state.update_query(page)
    is_edited = page_state.edited_program(page) is not None
    data |= {
        "key": f"{page.lesson.name}/{page.current}{'/edited' if is_edited else ''}",
        "acknowledged": page.acknowledged,
        "query": page.query,
        "overwritten": page.overwritten,
        "link": f"{str(st.context.url).partition('?')[0]}{page.query}",
    }
    if is_edited:
        data = {name: data[name] for name in WITH_EDITOR if name in data}
        data |= {"lines": (), "prose_html": inline_to_html(say("panel.edit-lead"))}
    if page.is_home:
        data = on_home(data)
    else:
        data["rail"] = rail(page)
        navigation.name_window(str(data["title"]), page.lesson.title.said(current_language()))
        progress.visit(page.lesson.name, page.current)
    if (stored := progress.stored(page.lesson.name)) is not None:
        data["store"] = stored
    if page.problem:
        notice.warning(page.problem)
    draw_panel(page, key, data if page.is_home else url_state.without_hidden(data, plain.word_text))
    if page.is_home and "reason_html" in data:
        draw_next_link(page)
    draw_below(page)


def draw_panel(page: PageState, key: str, data: view.Data) -> None:
    """Draw the step in the panel, or with ordinary controls."""
    if plain.is_chosen():
        if not page.is_home:
            page_state.write_address(page)  # else the component's script does it
        plain.draw(
            f"{page.key}-{page.current}", data, lambda event: page_state.handle_event(page, event)
        )
        return
    if "idea" in data:
        data["idea_html"] = view.idea_html(str(data.pop("idea")))
    component.draw(key, data, lambda: handle_events(page, key))


def draw_below(page: PageState) -> None:
    """Draw the part below the panel: the editor, the step's own controls, or the ways on."""
    if page.current == SUMMARY:
        draw_ways_on(page)
    elif lab := page_state.edited_program(page):
        from ui.lab.page import draw_in_place  # the first page does without it

        draw_in_place(
            lab,
            lambda: page_state.handle_event(page, STEP_BACK),
            lambda: page_state.handle_event(page, TO_LAB),
        )
    elif draw_own := page.below.get(page.current):
        words, state = page.lesson.step(page.current).words, page.steps[page.current]
        page.brought = page_state.network_of(state.step) or page.brought
        draw_own(f"{page.lesson.name}_{page.current}", state, words, page.answer)
    else:
        step_widgets.draw_points(page)
        if is_watched(page):
            draw_run(page)
        elif not page.is_home:
            step_widgets.draw_chart(page)
            step = page.steps[page.current].step
            step_widgets.draw_files(f"{page.lesson.name}_{page.current}", step, page.answer)


def is_watched(page: PageState) -> bool:
    """Return whether the step's experiment is watched, and has not ended."""
    state = page.steps[page.current]
    return state.step.is_watched and state.step not in state.runs.answers


def draw_run(page: PageState) -> None:
    """Run and show the experiment if it is asked for; else show how far it came before."""
    state, words = page.steps[page.current], page.lesson.step(page.current)
    labels = view.labels_of(words, current_language())
    if state.step not in state.said:
        step_run.show_stopped(state.step, state.runs, labels)
        return
    try:
        step_run.watch(f"{page.key}-{page.current}", state.step, state.runs, labels)
    except step_run.StoppedError:
        state.said.pop(state.step)
        return
    except PlaygroundError as error:
        state.said.pop(state.step)
        page.problem = error_page.sentence(error, labels)
    streamlit_session.rerun_fragment()


def open_lab(page: PageState) -> None:
    """Switch to the lab with the current program."""
    page.opens_lab = False
    lab, state = page_state.edited_program(page), page_state.step_state(page, page.current)
    program = lab.text if lab else state.step.program()
    switch_to_lab(program, f"{page.lesson.name}/{page.current}")
    page.problem = say("lab.no-link")  # still here


def on_home(data: view.Data) -> view.Data:
    """Return the data of a step for the home page: program, question and answer."""
    kept = {name: value for name, value in data.items() if name not in NOT_ON_HOME}
    kept["words"] = {
        name: text
        for name, text in view.interface_words(current_language()).items()
        if name not in ONLY_IN_LESSON
    }
    return {**kept, "level": 2}


def draw_next_link(page: PageState) -> None:
    """Link from the home page to the next step of the lesson.

    It is a link, which the browser follows. After ``st.switch_page``, a fragment of the old page
    that polls may ask for another run at that moment, and the new page then stays empty.
    """
    steps = page.lesson.steps
    following = steps[steps.index(page.lesson.step(page.current)) + 1]
    with st.container(key="home-next", horizontal_alignment="right"):
        st.page_link(
            navigation.page_of(page.lesson),
            label=say("panel.next-step", title=following.title.said(current_language())),
            icon=":material/arrow_forward:",
            icon_position="right",
            query_params={**page_state.kept_parameters(), page_state.STEP: following.id},
        )


def draw_ways_on(page: PageState) -> None:
    """Link from the summary to the quiz, where the chapter ends, and to the next lesson."""
    lessons, kept = list(catalog.lessons()), page_state.kept_parameters()
    following = lessons[lessons.index(page.lesson) + 1 :][:1]
    chapter = page.lesson.chapter
    ends_chapter = chapter not in [each.chapter for each in following]
    ways = []
    if ends_chapter:
        query = {**kept, CHAPTER: chapter}
        ways.append(("to-quiz", navigation.PAGES / "quiz.py", say("quiz.entry"), query))
    for lesson in following:
        title = lesson.title.said(current_language())
        key = "after-quiz" if ends_chapter else "next-lesson"
        label = say("panel.next-step", title=title)
        ways.append((key, navigation.PAGES / f"{lesson.name}.py", label, kept))
    with st.container(horizontal=True, vertical_alignment="center"):
        for key, target, label, query in ways:
            with st.container(key=key, width="content"):
                st.page_link(
                    target,
                    label=label,
                    icon=":material/arrow_forward:",
                    icon_position="right",
                    query_params=query,
                )


def step_data(page: PageState, notice: "st.delta_generator.DeltaGenerator") -> view.Data:
    """Return the data of a step, with its answer where it is revealed."""
    words = page.lesson.step(page.current)
    state = page_state.step_state(page, words.id)
    poll = None if page.is_home else live_poll.withheld(state.step)
    is_revealed = poll is None and (state.step in state.said or words.prediction is None)
    said = live_poll.own_vote(poll) if poll else state.said.get(state.step, "")
    answer = None
    if state.step.is_watched:
        answer = state.runs.answers.get(state.step) if is_revealed else None
    elif is_revealed:
        is_shown = page.answered == state.step  # the page was drawn again, and nothing was done
        answer = page.answer if is_shown else step_run.fetch_answer(state.step, notice)
    page.answer = answer
    page.answered = state.step if answer else None
    rounds = words.words.rounds
    asked = rounds[state.round - 2].question if state.round > 1 else None
    shown = view.Shown(
        step=state.step,
        words=words,
        devices=machine_picker.devices(machine_picker.current()),
        language=current_language(),
        answer=answer,
        said=said,
        is_asked_lightly=bool(said if poll else state.said),
        question=asked,
        brought=page.brought,
        progress=step_run.state_before(state.step, state.runs, notice) if not answer else None,
    )
    if answer is not None:
        note(page, shown, state, answer)
    shown = replace(shown, met=progress.challenges_met(page.lesson.name, words.words.challenges))
    number = [each.id for each in page.lesson.steps].index(words.id) + 1
    data = view.step_data(shown) | {"has_chart": step_widgets.has_chart(page)}
    if poll:
        data |= live_poll.question_data(poll, data)
    data["overline"] = say(
        "panel.step-of",
        lesson=page.lesson.title.said(shown.language),
        number=number,
        count=len(page.lesson.steps),
    )
    if host := state.step.host():
        data |= {"badge": machine_picker.badge(host), "is_simulated": host.is_simulated}
    if rounds:
        data["rounds"] = {"now": state.round, "count": len(rounds) + 1}
    following = next(iter(page.lesson.steps[number : number + 1]), None)
    title = following.title.said(shown.language) if following else say("panel.summary")
    data["next"] = {
        "id": following.id if following else SUMMARY,
        "label": say("panel.next-step", title=title),
        "is_primary": answer is not None,
    }
    if number > 1:
        before = page.lesson.steps[number - 2]
        data["previous"] = {"id": before.id, "label": before.title.said(shown.language)}
    if is_revealed and answer is None and state.step.is_watched:  # it is being run, below
        data = {name: value for name, value in data.items() if name not in NOT_WHILE_RUN}
    return data


def note(page: PageState, shown: view.Shown, state: StepState, answer: Answer) -> None:
    """Note the first prediction of a step, and that it and its challenges are done."""
    lesson, words, said = page.lesson.name, shown.words, state.said.get(state.step, "")
    if said not in ("", view.SKIPPED) and shown.is_fair:
        truth = said if answer.is_right(said) else answer.prediction
        progress.note_prediction(lesson, words.id, said, truth)
    progress.mark(lesson, words.id)
    state.note_shown(answer.data)
    for challenge in words.words.challenges:
        if state.step.meets(challenge.id, answer):
            progress.mark(lesson, f"challenge/{challenge.id}")


def rail(page: PageState) -> tuple[Mapping[str, str], ...]:
    """Return every step of the lesson, and whether the visitor has done it."""
    lesson, language = page.lesson, current_language()
    states = {True: "done", False: "open"}
    return tuple(
        {
            "id": each.id,
            "title": each.title.said(language),
            "state": "current"
            if each.id == page.current
            else states[progress.is_done(lesson.name, each.id)],
        }
        for each in lesson.steps
    )


def summary_data(page: PageState) -> view.Data:
    """Return the data of the lesson's summary: what to remember, and the predictions."""
    language = current_language()
    return {
        "words": view.interface_words(language),
        "title": say("panel.summary"),
        "prose_html": "",
        "lines": (),
        "reason_html": view.summary_html(page.lesson, progress.predictions(page.lesson), language),
    }


def handle_events(page: PageState, key: str) -> None:
    """Handle the events since the last one that was handled."""
    for event in component.events(key, page.acknowledged):
        page.acknowledged = int(event["serial"])
        page_state.handle_event(page, event)
