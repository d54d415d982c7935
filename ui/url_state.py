"""The parameters of the URL: state of widgets, and options of a link to a lesson.

Numbers, switches and texts use Streamlit's own binding. A choice writes its id here instead, since
a binding would write the words of one language into the URL.

``?plan=b,a`` shows these steps of a lesson in this order and no others; ``?plan=all`` shows all
again. ``?hide=lab,left`` hides parts of the page, and the controls of settings, which then are
plain words of the program. Both hold for the visit, and the page writes them into its own URL.
``?answer=shown`` reveals the answer of the step, or runs the program of the lab, once.
``?answer=hidden`` holds back what the builder says about a network until the visitor asks.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import streamlit as st

from playground import catalog

NETWORK = "network"  # the parameter that holds a network from the builder, on every page
BUILDER_PARAMETER = "blocks_build_network"  # opens the step of the builder with a network
UNBOUND = "unbound-numbers"  # in the session
PLAN, HIDE, ANSWER = "plan", "hide", "answer"  # in the URL
ANSWER_SHOWN, ANSWER_HIDDEN, ALL_STEPS = "shown", "hidden", "all"
PLANS_KEY, HIDDEN_KEY = "lesson-plans", "hidden-controls"  # in the session
PANEL_DATA = {  # what the panel draws, by the name in the URL
    "steps": ("rail",),
    "next": ("next", "previous"),
    "challenges": ("challenges",),
    "rounds": ("rounds",),
    "idea": ("idea",),
    "link": ("link",),
}
PANEL_BUTTONS = ("reset", "edit", "lab")
PAGE_PARTS = ("download", "plain", "sidebar")
HIDEABLE_PARTS = (*PANEL_DATA, *PANEL_BUTTONS, *PAGE_PARTS)
MAX_HIDDEN = 40
NO_SIDEBAR = (
    '<i hidden></i><style>[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"]'
    " { display: none; }</style>"
)


def restore_choice(key: str, allowed: Sequence[str], default: str) -> None:
    """Set the widget ``key`` to its own value, the URL's, or the default.

    A value that is not allowed (a broken link, a missing device) becomes the default.
    """
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(key, default)
    if st.session_state[key] not in allowed:
        st.session_state[key] = default


def number_binding(key: str) -> Literal["query-params"] | None:
    """Return the ``bind`` argument of a number: None for this visit if the link says infinity.

    Streamlit's binding ignores all other invalid values, but raises on an infinite number.
    """
    unbound: set[str] = st.session_state.setdefault(UNBOUND, set())
    try:
        if not math.isfinite(float(st.query_params.get(key, "0"))):
            unbound.add(key)
            st.query_params.pop(key)
    except ValueError:
        pass  # no number at all
    return None if key in unbound else "query-params"


def write_parameter(key: str, value: str, default: str) -> None:
    """Write a parameter into the URL; a default value needs none."""
    if value == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value


def follow_plan(lesson: catalog.Lesson) -> catalog.Lesson:
    """Return the lesson with the steps of the plan that the visitor follows."""
    plans: dict[str, catalog.Lesson] = st.session_state.setdefault(PLANS_KEY, {})
    given = st.query_params.get(PLAN, "")
    if given == ALL_STEPS:
        plans.pop(lesson.name, None)
    elif given != plan_of(plans.get(lesson.name)) and (
        chosen := with_steps(lesson, given.split(","))
    ):
        plans[lesson.name] = chosen
    return plans.get(lesson.name, lesson)


def with_steps(lesson: catalog.Lesson, step_ids: Iterable[str]) -> catalog.Lesson | None:
    """Return a lesson with some of its steps, in this order; None if it has none of them."""
    known = {each: step for step in lesson.steps for each in (step.id, *step.words.previous_ids)}
    steps = dict.fromkeys(known[each].id for each in step_ids if each in known)
    return replace(lesson, steps=tuple(map(lesson.step, steps))) if steps else None


def plan_of(lesson: catalog.Lesson | None) -> str:
    """Return the plan that a lesson follows, as in the URL; empty without one."""
    if lesson is None or lesson.steps == catalog.lesson(lesson.name).steps:
        return ""
    return ",".join(each.id for each in lesson.steps)


def leave_plan(lesson: str) -> None:
    """Show all steps of a lesson again."""
    st.session_state.get(PLANS_KEY, {}).pop(lesson, None)


def hidden_parts() -> frozenset[str]:
    """Return the names of what the visitor's links have hidden."""
    if HIDE in st.query_params:
        names = st.query_params[HIDE].split(",")[:MAX_HIDDEN]
        st.session_state[HIDDEN_KEY] = frozenset(filter(None, names))
    found: frozenset[str] = st.session_state.get(HIDDEN_KEY, frozenset())
    return found


def link_options(lesson: catalog.Lesson) -> dict[str, str]:
    """Return the URL parameters of plan and hidden controls."""
    given = {PLAN: plan_of(lesson), HIDE: ",".join(sorted(hidden_parts()))}
    return {name: value for name, value in given.items() if value}


def without_hidden(
    data: Mapping[str, Any], as_text: Callable[[Mapping[str, Any]], str]
) -> dict[str, Any]:
    """Return the panel's data without what is hidden; a hidden control becomes plain text.

    Args:
        data: Of the panel.
        as_text: Returns the text of a control in the program.
    """
    names = hidden_parts()
    if not names:
        return dict(data)
    gone = {each for name in names for each in PANEL_DATA.get(name, ())}
    kept = {name: value for name, value in data.items() if name not in gone}
    buttons = names.intersection(PANEL_BUTTONS)
    kept["words"] = {name: text for name, text in data["words"].items() if name not in buttons}
    kept["lines"] = tuple(
        {
            **line,
            "parts": tuple(
                {"text": as_text(part)} if part.get("field") in names else part
                for part in line["parts"]
            ),
        }
        for line in data["lines"]
    )
    if "row" in data:
        kept["row"] = tuple(each for each in data["row"] if each["field"] not in names)
    return kept


def draw_without_sidebar() -> None:
    """Hide the sidebar if a link says so."""
    if "sidebar" in hidden_parts():
        st.html(NO_SIDEBAR)
