"""The page of the builder: its state, its fragment, its script, and the network in its address.

One script is mounted twice, for the library and for the graph: the library (words and layers) is
sent once, outside the fragment; an edit sends the network alone.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from hosting import limits
from hosting.framework_internals import streamlit_session
from hosting.framework_internals.streamlit_session import register_component
from hosting.logs_and_metrics import time_experiment
from playground import catalog, compute
from playground.errors import InvalidSpecError, PlaygroundError
from playground.modules.spec.starts import STARTS
from playground.modules.workbench import RunNetwork
from playground.modules.workbench_types import Analysis
from playground.steps import load_step
from ui import error_page, lesson_page, progress, url_state
from ui.builder import actions, view
from ui.builder.history import EditHistory
from ui.builder.state import BuilderState, Notice, linked_network
from ui.language import current_language
from ui.panel import component as panel
from ui.url_state import NETWORK

NAME, DEFAULT = "builder", "lenet"
STATE, KEY, LIBRARY = "builder-state", "builder", "builder-library"
START, TASK = "start", "task"  # in the address


def draw() -> None:
    """Draw the page."""
    planned = catalog.curriculum().planned(NAME)
    if planned is None:
        raise LookupError(f"the curriculum has no page {NAME}")
    title, lead = (text.said(current_language()) for text in (planned.title, planned.lead))
    st.title(f"{title} :small[{lead}]", anchor=False)  # at once; HTML waits for a script of its own
    lesson_page.draw_warnings()
    state = current_state()
    try:
        _mount(LIBRARY, view.library(state.layers()))
    except PlaygroundError as error:
        st.warning(error_page.sentence(error, {}))
        return
    st.fragment(_draw, key="builder-fragment")(state)


def current_state() -> BuilderState:
    """Return the state of the visit; a link replaces its network, and undo brings the old back."""
    first = EditHistory([STARTS[DEFAULT].to_json()])
    state: BuilderState = st.session_state.setdefault(STATE, BuilderState(first))
    state.task = st.query_params.get(TASK, state.task)
    query = f"{st.query_params.get(START, '')} {st.query_params.get(NETWORK, '')}".strip()
    if query in ("", state.query):
        return state
    state.query = query
    try:
        network = STARTS.get(st.query_params.get(START, ""))
        if NETWORK in st.query_params:
            network = linked_network(st.query_params[NETWORK])
    except InvalidSpecError as error:
        state.notice = Notice("", error)
    else:
        if network is not None and state.load(network):
            given = st.query_params.get(url_state.ANSWER)
            state.is_held_back = given == url_state.ANSWER_HIDDEN
    return state


def _draw(state: BuilderState) -> None:
    """Draw the network; the body of the fragment."""
    try:
        analysis = state.analyze()
    except PlaygroundError as error:
        st.warning(error_page.sentence(error, {}))
        return
    data = view.builder_data(state, analysis)
    state.query = str(data["link"])  # the script writes it into the address
    data["task"] = task_data(state, analysis)
    _mount(KEY, data, lambda: handle_events(state))


def _mount(key: str, data: Mapping[str, object], handle: Callable[[], None] = lambda: None) -> None:
    """Mount the script, or send it new data; ``handle`` is called in a callback after an event."""
    mount = register_component(
        "builder", "graph", Path(__file__).parent, js="builder.js", css="builder.css"
    )
    # In a tuple: Streamlit would import pandas to see whether a value of the mapping is a table.
    mount(key=key, data=(data,), on_event_change=handle)


def task_data(state: BuilderState, analysis: Analysis) -> dict[str, object] | None:
    """Return the lesson's challenge that was asked for, and whether the network meets it."""
    words = catalog.lesson(view.LESSON).step(view.STEP).words
    task = next((each for each in words.challenges if each.id == state.task), None)
    if task is None:
        return None
    step: Any = load_step(view.LESSON, view.STEP)
    is_met = step.is_met_by(task.id, state.network, analysis.trace)
    if is_met:
        progress.mark(view.LESSON, f"challenge/{task.id}")
    language = current_language()
    return {"text": task.task.said(language), "hint": task.hint.said(language), "met": is_met}


def handle_events(state: BuilderState) -> None:
    """Handle the events since the last one that was handled."""
    for event in panel.events(KEY, state.acknowledged):
        state.acknowledged = int(event["serial"])
        if event.get("type") in ("show", "run", "train"):
            state.is_held_back = False
        if event.get("type") in ("run", "train"):
            _run(state, trains=event["type"] == "train", is_new=event.get("new") is True)
        elif event.get("type") == "program":
            read_program(state, str(event.get("text", "")))
        else:
            actions.handle(state, event)


def read_program(state: BuilderState, text: str) -> None:
    """Load the network that a program makes; with the lab, which the first paint does without."""
    from ui.builder.program_reader import read

    read(state, text)


def _run(state: BuilderState, *, trains: bool, is_new: bool) -> None:
    """Send a batch through the network, or train it for some steps more."""
    try:
        limits.admit_experiment(streamlit_session.session_id())
        with time_experiment():
            if trains:
                state.train(is_new=is_new)
            else:
                state.flow = compute.run(RunNetwork(network=state.history.text, data=state.data))
    except PlaygroundError as error:
        state.notice = Notice("", error)
    else:
        state.notice = None
