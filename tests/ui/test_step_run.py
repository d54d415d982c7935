import base64
import io
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.testing.v1 import AppTest

from hosting.framework_internals import streamlit_session
from playground import compute
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.lessons.save_and_load.tensors import Saved, Tensors
from playground.lessons.training import watch
from playground.steps import Progress, WriteFile
from ui import html_markup
from ui.panel import plain
from ui.step_widgets import DownloadStatus, file_maker

pytestmark = pytest.mark.usefixtures("inline")

ROOT = Path(__file__).resolve().parents[2]
KEY = "training-watch"
AFTERWARDS = "Steps of the optimizer"  # is shown once the run has come to its end


def visit() -> AppTest:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=300)
    given = {plain.CHOICE: "true", "step": "watch", "epochs": "5", "num_gpus": "0"}
    for name, value in given.items():
        at.query_params[name] = value
    return at.switch_page(str(ROOT / "pages/training.py")).run()


def facts(at: AppTest) -> str:
    return " ".join(each.proto.body for each in at.get("html"))


def pictures(at: AppTest) -> list[str]:
    return [base64.b64decode(each).decode() for each in re.findall(r"base64,([^\"]+)", facts(at))]


def has_button(at: AppTest, name: str) -> bool:
    return any(each.key == f"{KEY}-{name}" for each in at.button)


def test_nothing_runs_before_it_is_asked_and_the_answer_stays_until_a_control_changes():
    at = visit()
    assert AFTERWARDS not in facts(at)
    (untrained,) = pictures(at)

    at.button(key=f"{KEY}-run").click().run()
    assert not at.exception
    assert AFTERWARDS in facts(at)
    assert AFTERWARDS in facts(at.run())
    (trained,) = pictures(at)
    assert trained.count("pp-frame") == 6
    assert untrained.count("pp-frame") == 1
    assert "var(--tp-" not in untrained + trained
    assert not has_button(at, "stop")

    at.number_input(key=f"{KEY}-epochs").set_value(6).run()
    assert AFTERWARDS not in facts(at)
    assert has_button(at, "run")


def test_a_run_that_makes_way_is_stopped_and_shows_how_far_it_came(monkeypatch):
    at = visit()
    reported: list[Progress] = []
    take = watch.Watch.progress

    def note(step: watch.Watch, names: Mapping[str, object], step_ms: float) -> Progress:
        reported.append(take(step, names, step_ms))
        return reported[-1]

    monkeypatch.setattr(watch, "REPORT_SECONDS", 0.0)  # a report after each epoch
    monkeypatch.setattr(watch.Watch, "progress", note)
    monkeypatch.setattr(streamlit_session, "is_rerun_requested", lambda: bool(reported))
    at.button(key=f"{KEY}-run").click().run()
    monkeypatch.undo()
    at.run()

    assert not at.exception
    assert any("Stopped at 20 %" in each.value for each in at.caption)  # the first of five epochs
    assert AFTERWARDS not in facts(at)
    assert len(pictures(at)) == 1
    assert not has_button(at, "stop")
    assert has_button(at, "run")


def test_a_picture_is_an_image_that_says_what_it_shows():
    markup = html_markup.picture("<svg></svg>", 'loss: "1" < 2')
    assert 'alt="loss: &quot;1&quot; &lt; 2"' in markup
    assert "<svg" not in markup


SENTENCE = "No file, 稍后再试。"
SETTINGS = WriteFile(of=Tensors(saved=Saved.DICT, length=4), file_name="mydict")


def test_a_failing_worker_makes_no_file_and_leaves_a_reason(monkeypatch):
    note = DownloadStatus()

    def fail(*_: object) -> None:
        raise ExperimentTimedOutError("timed_out", seconds=20)

    with monkeypatch.context() as patched:
        patched.setattr(compute, "run", fail)
        with pytest.raises(PlaygroundError):
            file_maker(SETTINGS, note, SENTENCE)()
    assert note.error is not None
    assert note.error.key == "timed_out"

    loaded = torch.load(io.BytesIO(file_maker(SETTINGS, note, SENTENCE)()), weights_only=True)
    assert loaded["x"].tolist() == [0, 1, 2, 3]
    assert note.error is None  # the next one was made


TIMER = RerunData(fragment_id="timer", is_auto_rerun=True)
CLICK = RerunData(fragment_id="lesson")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], False),
        ([TIMER], False),
        ([TIMER, TIMER], False),
        ([CLICK], True),
        ([TIMER, CLICK], True),
        ([CLICK, TIMER], True),
        ([RerunData(), TIMER], True),
    ],
)
def test_a_click_stops_a_run_and_a_timer_of_the_page_does_not(monkeypatch, asked, expected):
    requests = ScriptRequests()
    monkeypatch.setattr(
        streamlit_session, "_context", lambda: SimpleNamespace(script_requests=requests)
    )
    for each in asked:
        requests.request_rerun(each)

    assert streamlit_session.is_rerun_requested() is expected
    requests.request_stop()
    assert streamlit_session.is_rerun_requested()
