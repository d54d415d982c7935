import html
import re

import pytest

from playground import catalog, compute
from playground.catalog import Language
from playground.errors import PlaygroundError
from playground.machines import Machine
from tests.pages.app import sentence
from ui.teacher import sheet

LESSON = catalog.lesson("tensors")
STEP = LESSON.step("same_device_error")
MESSAGE = "Expected all tensors to be on the same device"


def made(steps=(STEP.id,), lesson=LESSON, language=Language.EN, has_answers=False) -> str:
    return sheet.worksheet(lesson, steps, Machine(), language, has_answers=has_answers).decode()


def text(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


@pytest.mark.parametrize("language", Language)
def test_the_worksheet_asks_each_round_and_reveals_nothing(language):
    page = made(language=language)

    tags = re.findall(r"<(\w+)", page)
    assert tags.count("section") == 1 + len(STEP.words.rounds)
    assert text(page).count("☐") == tags.count("li")
    assert "✓" not in page
    assert MESSAGE not in text(page)
    assert not {"script", "link", "img"} & set(tags)


def test_the_key_has_pytorchs_answer_and_the_reason():
    with compute.running_inline():
        page = text(made(has_answers=True))
    assert page.count("✓") == 1 + len(STEP.words.rounds)
    assert "✓\u2002RuntimeError" in page
    assert MESSAGE in page


def test_what_cannot_be_run_now_is_said_and_the_rest_is_printed(monkeypatch):
    def refuse(_: object) -> None:
        raise PlaygroundError("compute_unavailable")

    monkeypatch.setattr(compute, "run", refuse)
    page = text(made(has_answers=True))

    assert page.count(sentence("teacher.sheet-unanswered")) == 1 + len(STEP.words.rounds)


@pytest.mark.parametrize("lesson", catalog.lessons(), ids=lambda each: each.name)
def test_every_lesson_can_be_printed(lesson):
    page = made([each.id for each in lesson.steps], lesson, Language.ZH)
    asked = [each for each in lesson.steps if each.prediction]
    assert page.count("<section") == sum(1 + len(each.words.rounds) for each in asked)


@pytest.mark.parametrize(
    ("lesson", "step", "line", "times"),
    [
        ("custom_layers", "data_trap", "class MyLinear(nn.Module):", 1),  # once for all rounds
        ("training", "watch", "class Trainer:", 0),  # part of 140 lines
    ],
)
def test_what_the_page_folds_is_printed_once_or_not_at_all(lesson, step, line, times):
    found = catalog.lesson(lesson)
    page = made([step], found)
    rounds = len(found.step(step).words.rounds)

    assert rounds > 0
    assert page.count(line) == times
    assert page.count('class="note"') == 1 + rounds - times


def test_what_changed_since_the_round_before_is_marked():
    page = made(["tensor_bytes", "out_of_memory"])
    first, second = (
        page.index(LESSON.step(each).title.en) for each in ("tensor_bytes", "out_of_memory")
    )

    assert "changed" not in page[page.index("</style>") : page.index("<section>", first)]
    assert "changed" in page[page.index("<section>", first) : second]
    assert "changed" not in page[second : page.index("<section>", second)]  # of another step
