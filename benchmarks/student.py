"""What a student does in a lesson."""

import asyncio
import random

from benchmarks.effort import Effort
from benchmarks.run import Run
from benchmarks.session import Session
from benchmarks.widget import BUTTONS, Value, Widget

PAUSE_SECONDS = 0.2  # closer actions would stall on Nagle's algorithm and delayed acknowledgement
SWITCH_SHARE = 0.15  # of the clicks go to another page
NOT_CLICKED = ("measure-", "download-", "again", "reset")


def lesson_addresses(session: Session) -> list[str]:
    """The addresses of the lessons; the home page has none."""
    return [address for address in session.pages if address]


def pages(session: Session, effort: Effort) -> list[str]:
    """The addresses to visit, the home page first."""
    return ["", *(each for each in lesson_addresses(session) if each in effort.lessons)]


async def reveal(session: Session, most: int) -> list[Run]:
    """Go through the page: open every step, skip its prediction, so that each shows all it can."""
    runs: list[Run] = []
    while len(runs) < 2 * most:
        left = [
            widget
            for widget in session.widgets.values()
            if widget.key.startswith("open-") or widget.key.endswith("_skip")
        ]
        if not left:
            break
        await asyncio.sleep(PAUSE_SECONDS)
        runs.append(await session.give(left[0], ("trigger_value", True)))
    return runs


def step_controls(session: Session, most: int) -> list[Widget]:
    """One control of each step that has one: its first that takes another value."""
    first: dict[str, Widget] = {}
    for widget in session.widgets.values():
        if widget.fragment and widget.kind not in BUTTONS and _others(session, widget):
            first.setdefault(widget.fragment, widget)
    return list(first.values())[:most]


async def toggle(session: Session, widget: Widget) -> tuple[Run, Run]:
    """Give a control another value, and its own again."""
    before = session.values[widget.id]
    away = await session.give(widget, _others(session, widget)[0])
    await asyncio.sleep(PAUSE_SECONDS)
    return away, await session.give(widget, before)


async def click(session: Session, chance: random.Random) -> Run:
    """Do one thing at random: go to another page, or use a control or a button of this one."""
    if len(session.pages) > 1 and chance.random() < SWITCH_SHARE:
        return await session.switch(chance.choice(list(session.pages)))
    usable = [
        (widget, others)
        for widget in session.widgets.values()
        if widget.fragment and not widget.key.split("_")[-1].startswith(NOT_CLICKED)
        if (others := _others(session, widget))
    ]
    if not usable:
        return await session.rerun()
    widget, others = chance.choice(usable)
    return await session.give(widget, chance.choice(others))


def _others(session: Session, widget: Widget) -> list[Value]:
    return widget.others(session.values.get(widget.id))
