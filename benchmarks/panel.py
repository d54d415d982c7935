"""The program panel: the component that draws a step, and the events that it sends.

Streamlit's frontend sends the events of a component as one trigger: a JSON list under an id of its
own, beside that of the component.
"""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

KIND = "bidi_component"
NAME = "panel.program"  # of the component
FIELD = "json_trigger_value"
SUMMARY = "summary"
EVENT = "event"  # the name under which the panel sends
Data = Mapping[str, Any]
Event = dict[str, Any]


def is_panel(element: Any) -> bool:
    """Return whether a component is the program panel."""
    return bool(element.component_name == NAME)


def data(element: Any) -> Data:
    """The data that the panel draws."""
    (shown,) = json.loads(element.json)
    return dict(shown)


def trigger_id(component_id: str) -> str:
    """The id under which the events of a component are sent."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component_id}__events"


def trigger(event: Event, name: str = EVENT) -> str:
    """An event as the frontend writes it."""
    return json.dumps([{"event": name, "value": event}])


def sent(shown: Data, **event: Any) -> Event:
    """An event with a serial number above those that the server has handled."""
    return {**event, "serial": shown.get("acknowledged", 0) + 1, "before": []}


def is_asked(shown: Data) -> bool:
    """Return whether a question is open, and the answer comes with a press of Run.

    The teacher's poll withholds the answer: its question has no Run.
    """
    has_run = "run" in shown.get("words", ("run",))
    return has_run and bool((shown.get("question") or {}).get("is_open"))


def events(shown: Data) -> list[Event]:
    """The events that a student could send: change, predict, run, ask again, another step."""
    possible = changes(shown)
    if is_asked(shown):
        answers = [each["id"] for each in shown["question"]["answers"]]
        possible += [sent(shown, type="answer", id=each) for each in answers]
        possible.append(sent(shown, type="run"))
    elif shown.get("question"):
        possible.append(sent(shown, type="again"))
    return [*possible, *way_on(shown)]


def changes(shown: Data) -> list[Event]:
    """The neighbouring values of all controls."""
    return [
        _change(shown, control, value) for control in controls(shown) for value in _near(control)
    ]


def far(shown: Data, steps: int, chance: random.Random) -> list[Event]:
    """For each number one value so many steps away at most."""
    found = []
    for control in controls(shown):
        if control["kind"] == "number" and control["increment"] == 1:
            moved = int(control["value"]) + chance.randint(1, steps) * chance.choice((-1, 1))
            value = min(max(moved, control["least"]), control["most"])
            found.append(_change(shown, control, str(value)))
    return found


def way_on(shown: Data) -> list[Event]:
    """To the next step; from the summary to the first."""
    goals = [shown["next"]] if "next" in shown else shown.get("rail", ())[:1]
    return [sent(shown, type="step", id=each["id"]) for each in goals]


def controls(shown: Data) -> Iterator[Data]:
    """The controls in the row and in the program."""
    yield from shown.get("row", ())
    for line in shown.get("lines", ()):
        yield from (part for part in line["parts"] if "field" in part)


def settings(shown: Data) -> dict[str, str]:
    """The step, and the values of its controls."""
    return {"": shown.get("key", ""), **{each["field"]: each["value"] for each in controls(shown)}}


def _change(shown: Data, control: Data, value: str) -> Event:
    return sent(shown, type="change", field=control["field"], value=value)


def _near(control: Data) -> list[str]:
    value = control["value"]
    if control["kind"] == "select":
        return [each["value"] for each in control["options"] if each["value"] != value]
    if control["kind"] == "text":
        return [value[:-1] if len(value) > 1 else f"{value}1"]
    if control["increment"] == 1:
        near = [int(value) + 1, int(value) - 1]
        return [str(each) for each in near if control["least"] <= each <= control["most"]]
    half = (float(value) + control["least"]) / 2
    return [f"{half:g}"] if half != float(value) else []
