"""Where a network can go from the builder: the lessons that look closer at one."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from playground.errors import InvalidSpecError
from playground.modules.spec.link import to_link
from ui import language
from ui.address import page_of
from ui.builder.bench import Bench
from ui.network import PARAMETER
from ui.words import say

CHAPTERS = ("parameters", "files")  # all their lessons take a network in their address


def draw(bench: Bench, right: DeltaGenerator) -> None:
    """Draw the links; a network that is too long for one cannot be taken along."""
    lessons = [each for each in catalog.lessons() if each.chapter in CHAPTERS]
    try:
        link = to_link(bench.network)
    except InvalidSpecError:
        return
    if not lessons:
        return
    tongue = language.current()
    with right.container(key=bench.card.key("builder-onward"), gap="xsmall"):
        st.caption(say("builder.onward"))
        with st.container(horizontal=True, gap="small"):
            for lesson in lessons:
                st.page_link(
                    page_of(lesson),
                    label=lesson.title.said(tongue),
                    icon=lesson.icon,
                    width="content",
                    query_params={PARAMETER: link},
                )
