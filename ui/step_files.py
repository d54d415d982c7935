"""Below a step's program: the way to the builder."""

import streamlit as st

from playground import catalog
from playground.steps import Step
from ui.lesson_header import page_of
from ui.network import BUILDER, BUILDER_PARAMETER
from ui.panel import controls
from ui.words import say


def draw(step: Step) -> None:
    """Draw what a step has below its program.

    Args:
        step: The settings.
    """
    field = controls.network_field(step)
    if link := getattr(step, field) if field else "":
        st.page_link(
            page_of(catalog.lesson(BUILDER)),
            label=say("network.builder"),
            icon=":material/edit:",
            query_params={BUILDER_PARAMETER: link},
        )
