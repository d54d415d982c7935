"""Programs to begin with: those of all lessons, and the exercises with their checks."""

import html
import re
from collections.abc import Callable

import streamlit as st

from playground import catalog
from playground.errors import PlaygroundError
from playground.lab import exercises, limits
from playground.lab.examples import examples
from playground.lab.exercises import Exercise, Grade
from ui import error_page, html_markup, machine_picker, page_script, progress, visitor
from ui.html_markup import inline_to_html, text_to_html
from ui.lab import editor
from ui.lab.session import LabSession
from ui.language import current_language, say
from ui.panel import component

KEY = "lab-start"
FIRST = "custom_layers/centered_layer"  # short, and with a layer of its own to trace
TASK = "lab-task"
COMPARED = re.compile(r"(?:(?P<case>[^\n]{1,200}?): )?(?P<seen>.*?) ≠ (?P<expected>.*)", re.DOTALL)


def put_first(lab: LabSession) -> None:
    """Load the first program of a visit."""
    if not lab.is_begun:
        lab.is_begun = True
        put(lab, FIRST)
        lab.is_first = True


def draw_examples(lab: LabSession) -> None:
    """Draw the search field for examples."""
    language = current_language()
    known = {each.id: each for each in examples()}
    st.selectbox(
        say("lab.starts"),
        tuple(known),
        index=None,
        format_func=lambda name: known[name].title.said(language),
        key=KEY,
        label_visibility="collapsed",
        placeholder=say("lab.starts-search", count=len(known)),
        on_change=_choose,
        args=(lab,),
    )
    if lab.problem is not None:
        st.warning(error_page.sentence(lab.problem, {}))
    note = limits.note_on(lab.start)
    if note is not None:
        st.html(html_markup.explanation(say(f"lab.note-{note}")))


def _choose(lab: LabSession) -> None:
    chosen = st.session_state[KEY]
    st.session_state[KEY] = None  # ready for the next
    if chosen is not None:
        put(lab, chosen)


def put(lab: LabSession, name: str) -> bool:
    """Load an example or an exercise by its id; return False if there is none."""
    lab.problem = None
    language = current_language()
    for exercise in exercises.exercises():
        if name in exercise.ids:
            title = exercise.title.said(language)
            lab.open(exercise.program, exercise=exercise.id, title=title)
            return True
    for start in examples():
        if start.id == name:
            try:
                program = start.program(machine_picker.current())
                lab.open(program, start=name, title=start.title.said(language))
            except PlaygroundError as error:
                lab.problem = error
            return lab.problem is None
    return False


def draw_task(lab: LabSession, again: Callable[[], None]) -> None:
    """Draw the task of the current exercise, with its hints and solution.

    Args:
        lab: Holds the text.
        again: Called in a callback to redraw the lab.
    """
    known = exercises.exercises()
    here = next((each for each in known if each.id == lab.exercise), None)
    if here is None:
        return
    language = current_language()
    with st.container(border=True, key=TASK, gap="small"):
        number = known.index(here) + 1
        shown = lab.hinted.get(here.id, 0)
        hints = "".join(
            f"<li>{inline_to_html(each.said(language))}</li>" for each in here.hints[:shown]
        )
        with st.container(horizontal=True, key="lab-task-bar", vertical_alignment="center"):
            st.html(
                f'<div class="tp-heading"><span class="tp-overline">'
                f"{say('lab.exercise-of', number=number, count=len(known))}</span> "
                f"{inline_to_html(here.title.said(language))}</div>",
                width="stretch",
            )
            if shown < len(here.hints):
                word = say("lab.next-hint" if shown else "panel.hint")
                st.button(
                    f"{word} ({shown + 1}/{len(here.hints)})",
                    key="lab-hint",
                    icon=":material/lightbulb:",
                    on_click=_show_hint,
                    args=(lab, again),
                )
            st.button(
                say("lab.leave"),
                key="lab-leave",
                type="tertiary",
                on_click=_leave,
                args=(lab, again),
            )
        st.html(
            f"<p>{inline_to_html(here.task.said(language))}</p>"
            f"{f'<ol class=tp-hints>{hints}</ol>' if hints else ''}"
        )
        if here.id in lab.passed or _is_signed_in_teacher():
            with st.expander(say("lab.solution"), key=f"lab-solution-{here.id}"):
                st.code(here.model.strip(), language="python")
                st.button(
                    say("lab.solution-take"),
                    key="lab-solution-take",
                    help=say("lab.solution-take-help"),
                    on_click=_take_solution,
                    args=(lab, here, again),
                )


def _is_signed_in_teacher() -> bool:
    who = visitor.current()  # not the student who runs the playground on a computer of their own
    return who is not None and who.is_teacher


def draw_exercises(lab: LabSession) -> None:
    """Draw the list of all exercises, also those solved in earlier visits; a click opens one."""
    component.draw_storage()
    lab.passed |= progress.solved_exercises()
    known = exercises.exercises()
    if not known:
        return
    language = current_language()
    done = sum(each.id in lab.passed for each in known)
    st.header(say("lab.exercises"), anchor=False)
    st.caption(say("lab.exercises-note"))
    st.progress(done / len(known), text=say("lab.progress", done=done, count=len(known)))
    rows = st.container(key="lab-list", gap=None)
    for number, each in enumerate(known, 1):
        sign = "✓" if each.id in lab.passed else ":gray[○]"
        lesson = catalog.lesson(each.lesson).title.said(language)
        rows.button(
            f"{sign}&ensp;**{number}**&ensp;{each.title.said(language)}&ensp;:gray[{lesson}]",
            key=f"open-lab-{each.id}",
            type="tertiary",
            width="stretch",
            on_click=_open,
            args=(lab, each),
        )


def show_verdict(lab: LabSession, grade: Grade) -> None:
    """Draw the results of the checks; if all passed, note it and offer the next exercise."""
    st.html(verdict_html(grade))
    if not grade.is_solved:
        return
    lab.passed.add(grade.exercise.id)
    progress.mark(progress.LAB, grade.exercise.id)
    known = exercises.exercises()
    place = known.index(grade.exercise)
    left = [each for each in known[place:] + known[:place] if each.id not in lab.passed]
    if left:
        title = left[0].title.said(current_language())
        st.button(
            say("lab.next-exercise", title=title),
            key="lab-next",
            on_click=_open,
            args=(lab, left[0]),
        )


def verdict_html(grade: Grade) -> str:
    """Format the results of the checks as HTML."""
    language = current_language()
    lines = []
    reasons = iter(grade.findings)
    for check, is_passed in zip(grade.exercise.requirements, grade.passed, strict=True):
        kind, sign = ("tp-hit", "✓") if is_passed else ("tp-miss", "✗")
        seen = "" if is_passed else next(reasons, "")
        lines.append(
            f'<li><span class="{kind}">{sign}</span> {inline_to_html(check.said(language))}'
            f"{seen_html(seen)}</li>"
        )
    kind, words = ("tp-ok", "passed") if grade.is_solved else ("tp-refused", "not-passed")
    head = html_markup.answer_head(f"<b>{html.escape(say(f'lab.{words}'))}</b>", "")
    return f'<div class="tp-outcome {kind}">{head}<ul class="tp-checks">{"".join(lines)}</ul></div>'


def seen_html(finding: str) -> str:
    """Format what a check has found: for which input, what it was, and what was expected."""
    found = COMPARED.fullmatch(finding)
    if found is None:
        return f'<div class="tp-said">{text_to_html(finding)}</div>' if finding else ""
    rows = "".join(
        f"<dt>{html.escape(say(f'lab.{name}'))}</dt><dd>{text_to_html(found[name])}</dd>"
        for name in ("case", "seen", "expected")
        if found[name]
    )
    return f'<dl class="tp-compared">{rows}</dl>'


def _open(lab: LabSession, exercise: Exercise) -> None:
    editor.sync_text(lab)
    put(lab, exercise.id)
    page_script.scroll_to(TASK)
    st.rerun()  # all of it: the task is above


def _show_hint(lab: LabSession, again: Callable[[], None]) -> None:
    lab.hinted[lab.exercise] = lab.hinted.get(lab.exercise, 0) + 1
    again()


def _take_solution(lab: LabSession, exercise: Exercise, again: Callable[[], None]) -> None:
    editor.sync_text(lab)
    lab.replace(exercise.model)
    again()


def _leave(lab: LabSession, again: Callable[[], None]) -> None:
    lab.exercise = ""
    lab.shown = None
    again()
