"""Every step of the lessons made of step modules, drawn with ordinary controls by the router.

The browser side of the panel is driven in tests/e2e; it is given the same data.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.catalog import Language
from playground.compute.settings import Settings
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.steps import Step, load_step
from tests.answers import answer_once
from ui import home_view, progress
from ui.panel import plain
from ui.words import table

ROOT = Path(__file__).resolve().parents[2]
STEPS = [
    (lesson.name, step.id)
    for lesson in catalog.lessons()
    if lesson.has_step_modules
    for step in lesson.steps
]
LESSON, STEP = "tensors", "same_device_error"
ERROR = "found at least two devices"  # of PyTorch's words at the step's defaults


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


def visit(lesson: str | None = LESSON, **address: str) -> AppTest:
    """Open a page with ordinary controls."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=60)
    for name, value in {plain.CHOICE: "true", **address}.items():
        at.query_params[name] = value
    if lesson:
        at.switch_page(str(ROOT / f"pages/{lesson}.py"))
    return at.run()


def press(at: AppTest, name: str) -> AppTest:
    """Press a button of the step that is shown, by the end of its key."""
    [button] = [each for each in at.button if each.key and each.key.endswith(f"-{name}")]
    return button.click().run()


def text(at: AppTest) -> str:
    """All that the page says."""
    bodies = [each.proto.body for each in at.get("html")]
    markup = [each for each in bodies if not each.startswith("<style>")]
    return "\n".join([*markup, *(each.value for each in at.code)])


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(("lesson", "step_id"), STEPS)
def test_a_step_is_read_answered_and_explained(
    lesson: str, step_id: str, language: Language
) -> None:
    words, kind = catalog.lesson(lesson).step(step_id), load_step(lesson, step_id)
    at = visit(lesson, step=step_id, lang=language)
    assert not at.exception
    assert at.title[0].value == words.title.said(language)
    program = kind().program()
    assert any(program in each.value for each in at.code)

    if words.prediction:
        assert "tp-outcome" not in text(at)  # nothing is revealed before the answer
        press(at, "run")

    assert not at.exception
    assert not at.warning
    answer = answer_once(kind())
    if answer.outcome.error_type:
        assert answer.outcome.error_type in text(at)
    said = words.words
    assert said is not None
    first = said.explanations[answer.explanation].said(language).split("`")[0].split("{")[0]
    assert first in text(at)


def test_a_control_changes_the_program_and_asks_again() -> None:
    at = press(visit(step=STEP), "run")
    assert ERROR in text(at)

    at.selectbox(key=f"{LESSON}-{STEP}-left").set_value("cuda:1").run()

    assert not at.exception
    assert any('device="cuda:1"' in each.value for each in at.code)
    assert "tp-outcome" not in text(at)
    assert any(each.key and each.key.endswith("-run") for each in at.button)


def test_the_fix_is_applied_and_run() -> None:
    at = press(press(visit(step=STEP), "run"), "apply")

    assert not at.exception
    assert any('Y.to("cuda:0")' in each.value for each in at.code)
    assert 'class="tp-outcome tp-ok"' in text(at)


def test_another_round_asks_the_question_with_other_settings() -> None:
    words = catalog.lesson(LESSON).step(STEP).words
    assert words is not None
    at = press(press(visit(step=STEP), "run"), "round")

    second = load_step(LESSON, STEP).of(words.rounds[0].settings)
    assert any(second.program() in each.value for each in at.code)
    assert "tp-outcome" not in text(at)


def test_next_leads_through_the_lesson_to_its_summary() -> None:
    at = visit()
    lesson = catalog.lesson(LESSON)
    for step in lesson.steps:
        assert at.title[0].value == step.title.en
        press(at, "next")

    assert at.title[0].value == table()["panel.summary"].en
    assert all(code.split("\n")[0] in text(at) for _, code in lesson.remember)


def test_the_summary_says_which_predictions_came_true() -> None:
    at = press(visit(step=STEP), "answer-works")
    at.query_params["step"] = "summary"
    at.run()

    assert 'class="is-miss"' in text(at)


@pytest.mark.parametrize("older", ["same-device-error", STEP])
def test_an_older_link_leads_to_the_step(older: str) -> None:
    at = visit(step=older, left="cuda:1", operation="indexing", nonsense="☃", zero_dim="nan")

    assert at.title[0].value == catalog.lesson(LESSON).step(STEP).title.en
    assert any("X[Y]" in each.value for each in at.code)
    assert any('device="cuda:1"' in each.value for each in at.code)


def test_an_answer_marks_the_step_done_and_the_progress_can_be_restored() -> None:
    at = press(visit(step=STEP), "run")

    assert f"{LESSON}/{STEP}" in at.session_state[progress.KEY]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ExperimentTimedOutError("timed_out", seconds=20), "20"),
        (PlaygroundError("crashed"), "died"),
        (PlaygroundError("queue_full", place=64), "64"),
        (PlaygroundError("no such key"), "went wrong"),
    ],
)
def test_a_failing_server_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, error: PlaygroundError, says: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(compute, "run", fail)
    at = press(visit(step=STEP), "run")

    assert not at.exception
    assert [says in each.value for each in at.warning] == [True]
    assert any(Step.program(load_step(LESSON, STEP)()) in each.value for each in at.code)


@pytest.mark.parametrize("language", Language)
def test_home_begins_with_a_live_step(language: Language) -> None:
    at = visit(None, lang=language)
    assert not at.exception
    assert table()["home.headline"].said(language) in text(at)

    press(at, "run")

    assert not at.exception
    assert ERROR in text(at)
    assert any(each.key and each.key.endswith("-next") for each in at.button)


@pytest.mark.parametrize("language", Language)
def test_home_shows_each_lesson_as_one_link_with_what_is_done(language: Language) -> None:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=60)
    at.query_params["lang"] = language
    at.session_state[progress.KEY] = {f"{LESSON}/{STEP}"}
    at.run()

    lesson = catalog.lesson(LESSON)
    labels = [each.proto.label for each in at.main.get("page_link")]
    tiles = [each for each in labels if f"**{lesson.title.said(language)}**" in each]
    count = len(lesson.steps)
    assert len(tiles) == 1
    assert table()["home.progress"].filled(language, done=1, count=count) in tiles[0]
    place = [each.name for each in catalog.lessons()].index(LESSON) + 1
    bar = f".st-key-tiles > :nth-child({place}) {{ --tp-done: {100 / count:.0f}%; }}"
    assert any(bar in each.proto.body for each in at.get("html"))


def test_home_reads_the_server_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    answer = compute.run

    def count(settings: Settings[Any], *args: Any, **more: Any) -> Any:
        asked.append(type(settings).__name__)
        return answer(settings, *args, **more)

    monkeypatch.setattr(compute, "run", count)
    home_view._inventory.cache_clear()
    visit(None).run().run()

    assert asked.count("ReadServer") == 1
