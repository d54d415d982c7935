"""Clicks that the steps of the lesson on the screen allow, and where they lead."""

import random
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from benchmarks import panel
from benchmarks.session import Session
from benchmarks.student import NOT_CLICKED
from benchmarks.widget import PRESSED, Value, Widget

MAX_RECENT = 300  # far fewer than the answers that the server caches: those counted as cached are
FAR = 60  # steps of a number that a student may go for something new


@dataclass(frozen=True, slots=True)
class StepClick:
    """A control, and the value that it is given; for the panel, an event.

    Args:
        widget: The control.
        value: The value.
        situation: What the step's controls then show; equal for all students.
    """

    widget: Widget
    value: Value
    situation: Hashable


class RecentSettings:
    """The settings that the class used last, whose answers the server still has in its cache.

    >>> recent = RecentSettings()
    >>> recent.add("a"), "a" in recent, "b" in recent
    (None, True, False)
    """

    def __init__(self) -> None:
        self._situations: OrderedDict[Hashable, None] = OrderedDict()

    def __contains__(self, situation: Hashable) -> bool:
        """Return whether a student used these settings."""
        return situation in self._situations

    def add(self, situation: Hashable) -> None:
        """Add settings that a student uses now."""
        self._situations[situation] = None
        self._situations.move_to_end(situation)
        while len(self._situations) > MAX_RECENT:
            self._situations.popitem(last=False)

    def among(self, clicks: list[StepClick]) -> Iterator[StepClick]:
        """Yield the clicks that lead to settings which a student used."""
        return (click for click in clicks if click.situation in self)


def near(session: Session) -> list[StepClick]:
    """The neighbouring values of all controls, and all buttons; in the panel, also the way on."""
    shown = session.shown()
    return _panel_clicks(session, [*panel.changes(shown), *panel.way_on(shown)]) + [
        StepClick(widget, value, _situation(widget, value, others))
        for widget, others in _usable(session)
        for value in widget.others(session.values.get(widget.id))
    ]


def far(session: Session, chance: random.Random) -> list[StepClick]:
    """For each number one value further away, which hardly anybody has tried."""
    clicks = _panel_clicks(session, panel.far(session.shown(), FAR, chance))
    for widget, others in _usable(session):
        value = _elsewhere(widget, session.values.get(widget.id), chance)
        if value is not None:
            clicks.append(StepClick(widget, value, _situation(widget, value, others)))
    return clicks


def last_word(widget: Widget) -> str:
    """The end of its key: ``tensors_add_rows`` is the field ``rows`` of a step."""
    return widget.key.split("_")[-1]


def _panel_clicks(session: Session, events: list[panel.Event]) -> list[StepClick]:
    if session.panel is None:
        return []
    now = panel.settings(session.shown())
    return [
        StepClick(session.panel, (panel.FIELD, each), frozenset(_after(now, each).items()))
        for each in events
    ]


def _after(now: dict[str, str], event: panel.Event) -> dict[str, str]:
    if event["type"] == "step":
        return {"": event["id"]}
    return {**now, event["field"]: event["value"]}


def _usable(session: Session) -> Iterator[tuple[Widget, dict[str, str]]]:
    shown: dict[str, dict[str, str]] = defaultdict(dict)
    for widget in session.widgets.values():
        if widget.fragment and widget.kind not in PRESSED:
            shown[widget.fragment][widget.key] = repr(session.values.get(widget.id))
    for widget in session.widgets.values():
        is_clicked = not last_word(widget).startswith(NOT_CLICKED) and widget.kind != panel.KIND
        if widget.fragment and is_clicked:
            yield widget, shown[widget.fragment]


def _situation(widget: Widget, value: Value, shown: dict[str, str]) -> Hashable:
    return frozenset({**shown, widget.key: repr(value)}.items())


def _elsewhere(widget: Widget, now: Value | None, chance: random.Random) -> Value | None:
    element = widget.element
    if now is None or element.disabled:
        return None
    steps = chance.randint(1, FAR) * chance.choice((-1, 1))
    if widget.kind == "number_input" and element.has_min and element.has_max:
        value = now[1] + steps * (element.step or 1.0)
        return now[0], min(max(value, element.min), element.max)
    if widget.kind == "slider":
        value = now[1][0] + steps * element.step
        return now[0], [min(max(value, element.min), element.max)]
    return None
