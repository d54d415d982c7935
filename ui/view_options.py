"""Options of a link besides the state: the plan of a lesson, hidden controls, the answer.

``?plan=b,a`` shows these steps of a lesson in this order and no others; ``?plan=all`` shows all
again. ``?hide=lab,left`` hides parts of the page, and the controls of settings, which then are
plain words of the program. Both hold for the visit, and the page writes them into its own URL.
``?answer=shown`` reveals the answer of the step, or runs the program of the lab, once.
``?answer=hidden`` holds back what the builder says about a network until the visitor asks.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from playground import catalog
from ui.panel import plain

PLAN, HIDE, ANSWER = "plan", "hide", "answer"  # in the URL
SHOWN, HELD_BACK, ALL = "shown", "hidden", "all"
PLANS, HIDDEN = "lesson-plans", "hidden-controls"  # in the session
DATA_OF = {  # what the panel draws, by the name in the URL
    "steps": ("rail",),
    "next": ("next", "previous"),
    "challenges": ("challenges",),
    "rounds": ("rounds",),
    "idea": ("idea",),
    "link": ("link",),
}
BUTTONS = ("reset", "edit", "lab")
PAGE_PARTS = ("download", "plain", "sidebar")
PARTS = (*DATA_OF, *BUTTONS, *PAGE_PARTS)
MAX_HIDDEN = 40
NO_SIDEBAR = (
    '<i hidden></i><style>[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"]'
    " { display: none; }</style>"
)


def follow_plan(lesson: catalog.Lesson) -> catalog.Lesson:
    """Return the lesson with the steps of the plan that the visitor follows."""
    plans: dict[str, catalog.Lesson] = st.session_state.setdefault(PLANS, {})
    given = st.query_params.get(PLAN, "")
    if given == ALL:
        plans.pop(lesson.name, None)
    elif given != plan_of(plans.get(lesson.name)) and (chosen := planned(lesson, given.split(","))):
        plans[lesson.name] = chosen
    return plans.get(lesson.name, lesson)


def planned(lesson: catalog.Lesson, step_ids: Iterable[str]) -> catalog.Lesson | None:
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
    st.session_state.get(PLANS, {}).pop(lesson, None)


def hidden() -> frozenset[str]:
    """Return the names of what the visitor's links have hidden."""
    if HIDE in st.query_params:
        names = st.query_params[HIDE].split(",")[:MAX_HIDDEN]
        st.session_state[HIDDEN] = frozenset(filter(None, names))
    found: frozenset[str] = st.session_state.get(HIDDEN, frozenset())
    return found


def address(lesson: catalog.Lesson) -> dict[str, str]:
    """Return the URL parameters of plan and hidden controls."""
    given = {PLAN: plan_of(lesson), HIDE: ",".join(sorted(hidden()))}
    return {name: value for name, value in given.items() if value}


def without_hidden(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the panel's data without what is hidden; a hidden control becomes plain text."""
    names = hidden()
    if not names:
        return dict(data)
    gone = {each for name in names for each in DATA_OF.get(name, ())}
    kept = {name: value for name, value in data.items() if name not in gone}
    buttons = names.intersection(BUTTONS)
    kept["words"] = {name: text for name, text in data["words"].items() if name not in buttons}
    kept["lines"] = tuple(
        {
            **line,
            "parts": tuple(
                {"text": plain.word_text(part)} if part.get("field") in names else part
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
    if "sidebar" in hidden():
        st.html(NO_SIDEBAR)
