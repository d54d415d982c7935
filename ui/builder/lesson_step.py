"""The link from the step of the lesson to the builder, with its network or with a task."""

from typing import Protocol

import streamlit as st

from playground import catalog
from playground.modules.spec.link import to_link
from playground.steps import Answer, Step
from ui.language import current_language, say
from ui.navigation import PAGES
from ui.url_state import BUILDER_PARAMETER, NETWORK

FIELD, START = "network", "start"


class State(Protocol):
    """The state of the step."""

    step: Step


def follow_old_link() -> None:
    """Open the step for an older link, which had a parameter of its own."""
    if link := st.query_params.get(BUILDER_PARAMETER):
        del st.query_params[BUILDER_PARAMETER]
        st.query_params["step"] = "build"
        st.query_params[FIELD] = link


def draw(name: str, state: State, words: catalog.StepWords, answer: Answer | None) -> None:
    """Draw the links below the program.

    Args:
        name: Prefix of the keys.
        state: Of the step.
        words: Of the step.
        answer: None before it is shown.
    """
    del answer
    language = current_language()
    with st.container(key=f"{name}_builder", gap="xsmall"):
        st.page_link(
            PAGES / "builder.py",
            label=say("builder.open"),
            icon=":material/schema:",
            query_params={NETWORK: to_link(state.step.spec)},  # type: ignore[attr-defined]  # of Build
        )
        for challenge in words.challenges:
            start = str(challenge.starting.get(START, ""))
            st.page_link(
                PAGES / "builder.py",
                label=say("builder.task", task=challenge.task.said(language)),
                icon=":material/task_alt:",
                query_params={START: start, "task": challenge.id},
            )
