"""Actions of a student in a lesson."""

import asyncio
import random

from benchmarks import panel
from benchmarks.plan import Plan
from benchmarks.run import Run
from benchmarks.session import Session
from benchmarks.widget import BUTTONS, Value, Widget

PAUSE_SECONDS = 0.2  # closer actions would stall on Nagle's algorithm and delayed acknowledgement
SWITCH_SHARE = 0.15  # of the clicks go to another page
NOT_CLICKED = ("measure-", "download-", "again", "reset")


def lesson_addresses(session: Session) -> list[str]:
    """The addresses of the lessons; the home page has none."""
    return [address for address in session.pages if address]


def pages(session: Session, plan: Plan) -> list[str]:
    """The addresses to visit, the home page first."""
    return ["", *(each for each in lesson_addresses(session) if each in plan.lessons)]


async def reveal(session: Session, most: int) -> list[Run]:
    """Run the program of each step of a lesson, up to the last one, with its answer."""
    runs: list[Run] = []
    for _ in range(most):
        shown = session.shown()
        if panel.is_asked(shown):
            await asyncio.sleep(PAUSE_SECONDS)
            runs.append(await session.send_event(type="run"))
        if "rail" not in shown or shown.get("next", {}).get("id") in (None, panel.SUMMARY):
            break
        await asyncio.sleep(PAUSE_SECONDS)
        runs.append(await session.send_event(type="step", id=shown["next"]["id"]))
    return runs


def step_controls(session: Session, most: int) -> list[Widget]:
    """One control of each step that has one: its first that takes another value."""
    first: dict[str, Widget] = {}
    for widget in session.widgets.values():
        if not widget.fragment or widget.kind in BUTTONS:
            continue
        if (
            panel.changes(session.shown())
            if widget.kind == panel.KIND
            else _others(session, widget)
        ):
            first.setdefault(widget.fragment, widget)
    return list(first.values())[:most]


async def use(session: Session, widget: Widget, value: Value) -> list[Run]:
    """Give a control a value; where the panel then asks its question again, run the program."""
    runs = [await session.give(widget, value)]
    if widget.kind == panel.KIND and value[1]["type"] == "change":
        if panel.is_asked(session.shown()):
            await asyncio.sleep(PAUSE_SECONDS)
            runs.append(await session.send_event(type="run"))
        if panel.is_asked(session.shown()):
            runs[-1].errors.append("an experiment did not run")
    return runs


async def toggle(session: Session, widget: Widget) -> list[Run]:
    """Give a control another value, and its own again."""
    if widget.kind == panel.KIND:
        shown = session.shown()
        change = panel.changes(shown)[0]
        own = panel.settings(shown)[change["field"]]
        runs = await use(session, widget, (panel.FIELD, change))
        await asyncio.sleep(PAUSE_SECONDS)
        back = panel.sent(session.shown(), **{**change, "value": own})
        return runs + await use(session, widget, (panel.FIELD, back))
    before = session.values[widget.id]
    away = await session.give(widget, _others(session, widget)[0])
    await asyncio.sleep(PAUSE_SECONDS)
    return [away, await session.give(widget, before)]


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
    if widget.kind == panel.KIND:  # as likely to run as to change one of many controls
        kind = chance.choice(sorted({event["type"] for _, event in others}))
        others = [each for each in others if each[1]["type"] == kind]
    return await session.give(widget, chance.choice(others))


def _others(session: Session, widget: Widget) -> list[Value]:
    return widget.others(session.values.get(widget.id))
