"""Every page, in both languages, on real and simulated machines, entered by the router."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.catalog import Language
from playground.compute.status import ComputeStatus
from playground.compute.streaming import StreamSettings
from playground.errors import ExperimentTimedOutError, PlaygroundError
from ui.words import table

ROOT = Path(__file__).resolve().parents[2]
LESSONS = [lesson.name for lesson in catalog.lessons() if not lesson.has_step_modules]
NONSENSE = ("☃", "inf", "-1e999", "nan", "<script>", "9" * 400)
WAYS = [("en", "simulated"), ("zh", "real")]  # words and machines do not know of each other


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


def visit(
    lesson: str | None = None,
    *,
    language: str = "en",
    machine: str = "simulated",
    steps: str = "all",
    **address: str,
) -> AppTest:
    """Open the app by the router, at once at a lesson with all its steps and programs open."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=300)
    for each in catalog.lesson(lesson).steps if lesson else ():
        at.session_state[f"{lesson}_{each.id}_code"] = True
    at.session_state["steps"] = steps == "all"
    for name, value in {"lang": language, "machine": machine, **address}.items():
        at.query_params[name] = value
    if lesson:  # found by its file's name, which is its address
        at.switch_page(str(ROOT / f"pages/{lesson}.py"))
    return at.run()


def reveal(at: AppTest) -> AppTest:
    """Skip every prediction, so that all answers are on the page."""
    for button in at.button:
        if button.key and button.key.endswith("_skip"):
            button.click()
    at.run()  # of the cards alone, as in a browser
    return at.run()


def programs(at: AppTest) -> list[str]:
    """The shown programs, as opposed to fixes and to what was printed."""
    return [code.value for code in at.code if "import torch" in code.value]


def has_sidebar(at: AppTest) -> bool:
    """Whether the router's sidebar is there: it goes when a page runs without the router."""
    return any(group.key == "lang" for group in at.sidebar.button_group)


@pytest.mark.parametrize(("language", "machine"), WAYS)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_shows_all_its_answers(lesson: str, machine: str, language: str) -> None:
    at = reveal(visit(lesson, language=language, machine=machine))

    words = catalog.lesson(lesson)
    assert not at.exception
    said = Language(language)
    assert at.title[0].value == words.title.said(said)
    assert has_sidebar(at)
    for step in words.steps:
        assert any(step.title.said(said) in each.value for each in at.markdown), step.id
    assert not at.warning, [each.value for each in at.warning]
    assert len(programs(at)) >= len(words.steps) - 1  # nvidia-smi is no program


def test_home_does_not_wait_for_workers_that_are_about_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compute, "status", lambda: ComputeStatus(is_awaited=True))
    monkeypatch.setattr(compute, "run", lambda _: pytest.fail("it waits"))

    at = visit()

    assert not at.exception
    assert table()["home.server-starting"].en in [each.value for each in at.caption]


@pytest.mark.parametrize("shift", [0, 3])  # two kinds of nonsense for each control
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_nonsense_address_falls_back_without_an_exception(lesson: str, shift: int) -> None:
    fields = sorted({*catalog.lesson(lesson).labels, "predicted"})
    keys = [
        f"{lesson}_{step.id}_{field}" for step in catalog.lesson(lesson).steps for field in fields
    ]
    at = visit(
        lesson,
        language="xx",
        machine="?",
        gpus=NONSENSE[shift],
        memory=NONSENSE[shift + 1],
        **{key: NONSENSE[(place + shift) % len(NONSENSE)] for place, key in enumerate(keys)},
    )

    for way in ("at once", "again"):
        if way == "again":
            at.run()
        assert not at.exception, way
        assert at.title[0].value == catalog.lesson(lesson).title.en, way


def test_switching_the_language_keeps_every_value() -> None:
    at = visit("models")
    key = "models_input-and-model_model"
    before = {group.key: group.value for group in at.button_group}
    at.button_group(key=key).set_value("cuda:1").run()
    at.sidebar.button_group(key="lang").set_value(Language.ZH).run()

    after = {group.key: group.value for group in at.button_group}
    assert at.title[0].value == catalog.lesson("models").title.zh
    assert after[key] != before[key]
    assert {name: value for name, value in after.items() if name not in {key, "lang"}} == {
        name: value for name, value in before.items() if name not in {key, "lang"}
    }


def test_a_choice_is_in_the_address_by_its_id_in_any_language() -> None:
    at = visit("models", language="zh")
    at.button_group(key="models_input-and-model_model").set_value("cuda:1").run()

    assert at.query_params["models_input-and-model_model"] == "cuda:1"


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_challenge_is_solved_before_anything_is_done(lesson: str) -> None:
    for challenge in catalog.lesson(lesson).challenges:
        at = visit(lesson, steps="", step=challenge.step)
        at.button(key=f"{lesson}_{challenge.step}_check-{challenge.id}").click().run()

        assert not at.exception
        assert [each.value for each in at.success] == [], challenge.id
        settings = catalog.settings_classes(lesson)[challenge.settings]
        is_started = not issubclass(settings, StreamSettings)  # those wait for a press of their own
        answer = "challenge.not-yet" if is_started else "challenge.no-result"
        said = [each.value for each in (*at.warning, *at.info)]
        assert said == [table()[answer].en], challenge.id


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ExperimentTimedOutError("timed_out", seconds=20), "20"),
        (PlaygroundError("crashed"), "died"),
        (PlaygroundError("compute_unavailable"), "cannot be run"),
        (PlaygroundError("queue_full", place=64), "64"),
        (PlaygroundError("no such key"), "went wrong"),
    ],
)
def test_a_failing_server_is_said_in_one_sentence_with_a_retry(
    monkeypatch: pytest.MonkeyPatch, error: PlaygroundError, says: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(compute, "run", fail)
    at = reveal(visit("models"))

    assert not at.exception
    assert at.warning
    assert all(says in warning.value for warning in at.warning)
    assert any(button.key and button.key.endswith("_retry") for button in at.button)
