"""The panel without its script: ordinary controls above a plain code block.

It draws the same data and returns the same events. It replaces the component if the browser does
not load it, or if a visitor prefers it.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import streamlit as st

from ui import html_markup, theme, url_state
from ui.language import say
from ui.panel.component import Event

CHOICE = "panel_plain"  # in the address and in the session
SWITCH = "panel_plain_switch"
STARTUP_TIMEOUT_SECONDS = 15.0  # for the component to start
TAG = re.compile(r"<[^>]+>")
React = Callable[[Event], None]


def is_chosen() -> bool:
    """Return whether ordinary controls are used."""
    return bool(st.session_state.setdefault(CHOICE, st.query_params.get(CHOICE) == "true"))


def draw_choice() -> None:
    """Draw the switch between the panel and ordinary controls; it holds for all pages."""
    st.session_state[SWITCH] = is_chosen()  # the switch of each page is a widget of its own
    st.toggle(say("panel.plain"), key=SWITCH, on_change=_choose, help=say("panel.plain-help"))
    url_state.write_parameter(CHOICE, "true" if is_chosen() else "", "")


def _choose() -> None:
    st.session_state[CHOICE] = st.session_state[SWITCH]


def watch(is_ready: Callable[[], bool]) -> None:
    """Draw a fragment that falls back to ordinary controls if the component does not start.

    Args:
        is_ready: Whether the component has answered.
    """
    if not is_ready() and not is_chosen():
        st.fragment(_fall_back, run_every=STARTUP_TIMEOUT_SECONDS)(is_ready, time.monotonic())


def _fall_back(is_ready: Callable[[], bool], drawn_at: float) -> None:
    if time.monotonic() - drawn_at < STARTUP_TIMEOUT_SECONDS / 2:
        return  # it has only just been drawn
    if not is_ready():
        st.session_state[CHOICE] = True
    st.rerun()


def draw(key: str, data: Mapping[str, Any], react: React) -> None:
    """Draw a step with Streamlit's own elements.

    Args:
        key: Prefix of the widgets' keys; each step has its own.
        data: As for the component.
        react: Called in a callback with the event.
    """
    if data.get("title"):
        st.title(data["title"], anchor=False)
    if data.get("prose_html"):
        st.html(data["prose_html"])
    for control in _controls(data):
        _draw_control(f"{key}-{control['field']}", control, react)
    if data["lines"]:
        st.code("\n".join(map(_text, data["lines"])), language="python", line_numbers=True)
    if question := data.get("question"):
        _draw_question(key, question, data["words"], react)
    for line in data["lines"]:
        _draw_line(key, line, react)
    if picture := data.get("picture"):
        st.html(html_markup.picture(theme.with_colours(picture["svg"]), picture["alt"]))
    _draw_explanation(data)
    for challenge in data.get("challenges", ()):
        sign = "☑" if challenge["is_met"] else "☐"
        st.html(f"{sign} {challenge['html']} <em>{challenge['hint_html']}</em>")
    _draw_way_on(key, data, react)


def _draw_explanation(data: Mapping[str, Any]) -> None:
    for part in ("facts_html", "table_html", "reason_html", "recorded_html"):
        if data.get(part):
            st.html(f'<div class="tp-answer">{data[part]}</div>')
    if data.get("idea"):
        st.expander(say("panel.idea")).markdown(data["idea"])


def _draw_way_on(key: str, data: Mapping[str, Any], react: React) -> None:
    for name in ("previous", "next"):
        if name in data:
            event = {"type": "step", "id": data[name]["id"]}
            st.button(data[name]["label"], key=f"{key}-to-{name}", on_click=react, args=(event,))
    for name in ("edit", "lab"):
        if data["lines"] and name in data["words"]:
            event = {"type": name}
            st.button(data["words"][name], key=f"{key}-to-{name}", on_click=react, args=(event,))
    rounds, question = data.get("rounds"), data.get("question")
    if rounds and question and not question["is_open"]:
        event = {"type": "round", "number": rounds["now"] % rounds["count"] + 1}
        words = data["words"]["another_round"]
        st.button(words, key=f"{key}-round", on_click=react, args=(event,))


def _controls(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from data.get("row", ())
    for line in data["lines"]:
        yield from (part for part in line["parts"] if "field" in part)


def _text(line: Mapping[str, Any]) -> str:
    return "".join(word_text(part) for part in line["parts"])


def word_text(part: Mapping[str, Any]) -> str:
    """Return a part of a line as text, also that of a control."""
    if "field" not in part:
        return str(part["text"])
    shown = [each["shown"] for each in part.get("options", ()) if each["value"] == part["value"]]
    word = shown[0] if shown else part["value"]
    return f"{part.get('prefix', '')}{word}{part.get('suffix', '')}"


def _draw_control(key: str, control: Mapping[str, Any], react: React) -> None:
    name, value = control["field"], control["value"]

    def change() -> None:
        given = st.session_state[key]
        if given is not None:
            react({"type": "change", "field": name, "value": f"{given}"})

    if control["kind"] == "select":
        shown = {each["value"]: each["shown"] for each in control["options"]}
        st.session_state[key] = value
        st.selectbox(
            control["label"], list(shown), format_func=shown.__getitem__, key=key, on_change=change
        )
    elif control["kind"] == "number":
        is_integer = control["increment"] == 1
        kind = int if is_integer else float
        st.session_state[key] = kind(value)
        least, most = kind(control["least"]), kind(control["most"])
        label = f"{control['label']} ({least:g} – {most:g})"
        st.number_input(label, least, most, key=key, on_change=change)
    else:
        st.session_state[key] = value
        st.text_input(control["label"], max_chars=control["max_length"], key=key, on_change=change)


def _draw_question(
    key: str, question: Mapping[str, Any], words: Mapping[str, str], react: React
) -> None:
    st.html(f"<strong>{question['html']}</strong>")
    chosen = [
        TAG.sub("", each["html"]) for each in question["answers"] if each["id"] == question["said"]
    ]
    if chosen and not question["truth"]:
        st.caption(f"{words['same_again']} {chosen[0]}")
    with st.container(horizontal=True):
        if not question["is_open"]:
            if again := words.get("again"):
                event = {"type": "again"}
                st.button(again, key=f"{key}-again", on_click=react, args=(event,))
            return
        for answer in question["answers"]:
            event = {"type": "answer", "id": answer["id"]}
            label = TAG.sub("", answer["html"])
            st.button(label, key=f"{key}-answer-{answer['id']}", on_click=react, args=(event,))
        if "run" in words:
            st.button(words["run"], key=f"{key}-run", on_click=react, args=({"type": "run"},))


def _draw_line(key: str, line: Mapping[str, Any], react: React) -> None:
    """Draw the output and the answer of a line, below the program."""
    number = say("panel.line", number=line["number"])
    notes = [f"{each['text']} {' '.join(each['devices'])}" for each in line.get("notes", ())]
    texts = [*notes, *([line["printed"]] if "printed" in line else []), *line.get("warnings", ())]
    if texts:
        st.code("\n".join(f"{number}: {each}" for each in texts), language=None, wrap_lines=True)
    for remark in line.get("remarks_html", ()):
        st.html(f'<div class="tp-why">{number}: {remark}</div>')
    if answer := line.get("answer"):
        said = answer.get("said_html", "")
        text = answer.get("text_html", "")
        kind = "tp-ok" if answer["tone"] == "ok" else "tp-refused"
        st.html(
            f'<div class="tp-outcome {kind}">{number}:'
            f" <b>{answer['title_html']}</b> {said}<div>{text}</div></div>"
        )
    if fix := line.get("fix"):
        st.code(fix["text"], language="python")
        st.button(say("panel.apply"), key=f"{key}-apply", on_click=react, args=({"type": "apply"},))
