"""The chart of an answer, whose values can be read off; plotly draws it.

The panel keeps a place for it in its card, and the style sheet puts it there. A browser loads
plotly.js with the first chart.
"""

import streamlit as st

from playground.steps import Step
from ui import theme
from ui.language import current_language
from ui.page_state import PageState
from ui.panel import view

SLOT = "slot-chart"
CONFIG = {"displayModeBar": False, "scrollZoom": False}


def has_chart(page: PageState) -> bool:
    """Return whether the current answer has a chart."""
    is_drawn = type(page.steps[page.current].step).chart is not Step.chart
    return is_drawn and page.answer is not None and not page.is_home


def draw(page: PageState) -> None:
    """Draw the chart of the current answer, with the answer before it in this visit."""
    answer = page.answer
    if answer is None or not has_chart(page):
        return
    from plotly.graph_objects import Figure  # no page needs it before

    state, words = page.steps[page.current], page.lesson.step(page.current)
    language = current_language()
    earlier = state.shown[0][1] if len(state.shown) > 1 else None
    labels, said = view.labels_of(words, language), state.said.get(state.step, "")
    spec = state.step.chart(answer.data, earlier, labels, theme.palette(), said)
    if spec is None:
        return
    st.container(key=SLOT).plotly_chart(
        Figure(spec),
        theme=None,
        config=CONFIG,
        key=f"{page.key}-{page.current}-chart",
        alt=words.words.alts["chart"].filled(language, **answer.values),
    )
