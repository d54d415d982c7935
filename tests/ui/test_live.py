"""A run that a visitor starts in a card: seen through the lesson that has one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground import compute
from playground.lessons.training import experiment
from ui import answer_view, live

ROOT = Path(__file__).resolve().parents[2]
START, STOP = "training_watch_start", "training_watch_stop"


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    with compute.running_inline():
        yield


def visit() -> AppTest:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=300)
    at.query_params["machine"] = "simulated"
    at.query_params["training_watch_epochs"] = "5"
    return at.switch_page(str(ROOT / "pages/training.py")).run()


def facts(at: AppTest) -> str:
    return " ".join(each.proto.body for each in at.get("html"))


def test_nothing_runs_before_it_is_started_and_the_report_stays_until_a_control_changes():
    at = visit()
    assert "Steps that were clipped" not in facts(at)

    at.button(key=START).click().run()
    assert not at.exception
    assert "Steps that were clipped" in facts(at)
    assert "Steps that were clipped" in facts(at.run())
    assert not [button for button in at.button if button.key == STOP]

    at.number_input(key="training_watch_seed").set_value(1).run()
    assert "Steps that were clipped" not in facts(at)


def test_a_run_that_makes_way_is_stopped_and_shows_how_far_it_came(monkeypatch):
    at = visit()
    reports, show = [], live.Screen.show

    def note(screen: live.Screen, report: live.Watched) -> None:
        reports.append(report)
        show(screen, report)

    monkeypatch.setattr(experiment, "TELL_SECONDS", 0.0)  # a report after each epoch
    monkeypatch.setattr(live.Screen, "show", note)
    monkeypatch.setattr(live.rerun, "is_asked_for", lambda: bool(reports))
    at.button(key=START).click().run()

    assert not at.exception
    assert any("Stopped at 20 %" in each.value for each in at.caption)  # the first of five epochs
    assert "Steps that were clipped" not in facts(at)
    assert "data:image/svg+xml" in facts(at)
    assert not [button for button in at.button if button.key == STOP]


def test_a_picture_is_an_image_that_says_what_it_shows():
    markup = answer_view.picture("<svg></svg>", 'loss: "1" < 2')

    assert 'alt="loss: &quot;1&quot; &lt; 2"' in markup
    assert "<svg" not in markup
