"""The benchmarks' browser tab speaks to the program panel as Streamlit's frontend does."""

import asyncio
import json

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.components.v2.bidi_component.serialization import deserialize_trigger_list
from streamlit.proto.BidiComponent_pb2 import BidiComponent

from benchmarks import panel
from benchmarks.class_load import step_click
from benchmarks.run import Run
from benchmarks.session import Session
from benchmarks.student import step_controls, toggle
from benchmarks.widget import Value, Widget, state_of

SELECT = {
    "field": "left",
    "kind": "select",
    "value": "cpu",
    "options": [{"value": "cpu"}, {"value": "cuda:0"}],
}
NUMBER = {
    "field": "rows",
    "kind": "number",
    "value": "8",
    "increment": 1,
    "least": 1,
    "most": 8,
}
QUESTION = {"is_open": True, "answers": [{"id": "works"}, {"id": "fails"}]}


def shown(**more: object) -> panel.Data:
    lines = [{"number": 1, "parts": [{"text": "X = "}, SELECT]}]
    return {"key": "tensors/add", "heard": 7, "row": [NUMBER], "lines": lines, **more}


def component(data: panel.Data, name: str = panel.NAME) -> BidiComponent:
    return BidiComponent(
        id="$$ID-0a1b-panel-tensors", component_name=name, json=json.dumps([dict(data)])
    )


def tab(data: panel.Data) -> Session:
    """A tab that shows the panel."""
    session = Session(port=0)
    widget = Widget(panel.KIND, component(data), fragment="f", place="main")
    session.widgets = {widget.id: widget}
    return session


def test_an_event_is_sent_under_the_id_and_in_the_form_that_streamlit_reads() -> None:
    (event,) = [each for each in panel.events(shown(question=QUESTION)) if each["type"] == "run"]

    state = state_of("$$ID-0a1b-panel-tensors", (panel.FIELD, event))

    assert state.id == _make_trigger_id("$$ID-0a1b-panel-tensors", "events")
    assert state.WhichOneof("value") == "json_trigger_value"
    assert deserialize_trigger_list(state.json_trigger_value) == [
        {"event": "event", "value": {"type": "run", "serial": 8, "before": []}}
    ]


def test_only_the_program_panel_is_a_panel() -> None:
    assert panel.is_panel(component(shown()))
    assert not panel.is_panel(component(shown(), "page.script"))


def test_changes_are_other_options_and_numbers_within_the_bounds() -> None:
    changes = {(each["field"], each["value"]) for each in panel.changes(shown())}

    assert changes == {("left", "cuda:0"), ("rows", "7")}


def test_an_open_question_can_be_answered_and_a_closed_one_asked_again() -> None:
    asked = [
        (each["type"], each.get("id"))
        for each in panel.events(shown(question=QUESTION))
        if each["type"] != "change"
    ]
    closed = panel.events(shown(question={**QUESTION, "is_open": False}, next={"id": "sub"}))

    assert asked == [("answer", "works"), ("answer", "fails"), ("run", None)]
    assert [each["type"] for each in closed if each["type"] != "change"] == ["again", "step"]


def test_the_summary_leads_back_to_the_first_step() -> None:
    summary = {"key": "tensors/summary", "lines": [], "rail": [{"id": "add"}, {"id": "sub"}]}

    assert [(each["type"], each["id"]) for each in panel.events(summary)] == [("step", "add")]


def test_the_panel_is_the_control_of_its_step_where_it_has_one_to_change() -> None:
    assert [each.kind for each in step_controls(tab(shown()), 9)] == [panel.KIND]
    assert step_controls(tab({"key": "tensors/none", "lines": []}), 9) == []


def test_two_students_who_bring_a_step_to_the_same_settings_are_in_the_same_situation() -> None:
    fewer = step_click.near(tab(shown()))
    more = step_click.near(tab({**shown(), "row": [{**NUMBER, "value": "6"}]}))
    to_seven = [
        {each.situation for each in clicks if each.value[1].get("value") == "7"}
        for clicks in (fewer, more)
    ]

    assert len(to_seven[0]) == 1
    assert to_seven[0] == to_seven[1]


class Answering(Session):
    """A tab before a server that asks again after each change, and answers after Run."""

    def __init__(self) -> None:
        super().__init__(port=0)
        self.sent: list[tuple[str, object]] = []
        self._show({**shown(question={**QUESTION, "is_open": False})})

    def _show(self, data: panel.Data) -> None:
        widget = Widget(panel.KIND, component(data), fragment="f", place="main")
        self.widgets = {widget.id: widget}

    async def give(self, widget: Widget, value: Value) -> Run:
        assert self.panel is not None
        assert widget.id == self.panel.id
        event = value[1]
        self.sent.append((event["type"], event.get("value")))
        assert event["serial"] > self.shown()["heard"]
        question = {**QUESTION, "is_open": event["type"] == "change"}
        self._show({**self.shown(), "heard": event["serial"], "question": question})
        return Run(asked=0.0, finished=1.0)


def test_a_click_is_another_value_and_then_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.student.PAUSE_SECONDS", 0.0)
    session = Answering()
    assert session.panel is not None

    runs = asyncio.run(toggle(session, session.panel))

    assert session.sent == [("change", "7"), ("run", None), ("change", "8"), ("run", None)]
    assert [each.errors for each in runs] == [[], [], [], []]


def test_the_time_of_two_runs_leaves_the_pause_out() -> None:
    both = Run(asked=1.0, finished=1.25).then(Run(asked=9.0, finished=9.5))

    assert both.milliseconds == pytest.approx(750.0)
