from html.parser import HTMLParser

import pytest

from playground import catalog, compute
from playground.catalog import Language
from playground.errors import PlaygroundError
from playground.machines import Machine
from ui.language import table
from ui.teacher import sheet

LESSON = catalog.lesson("tensors")
STEP = LESSON.step("same_device_error")
MESSAGE = "Expected all tensors to be on the same device"


class Text(HTMLParser):
    """The text of a page, and its elements."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.text, self.tags = "", []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def made(plan: tuple[str, ...], language: Language = Language.EN, **more: bool) -> Text:
    return Text(sheet.worksheet(LESSON, plan, Machine(), language, **more))


@pytest.mark.parametrize("language", Language)
def test_the_worksheet_asks_each_round_and_reveals_nothing(language: Language) -> None:
    page = made((STEP.id,), language, has_answers=False)

    assert page.tags.count("section") == 1 + len(STEP.words.rounds)
    assert page.text.count("☐") == page.tags.count("li")
    assert "✓" not in page.text
    assert MESSAGE not in page.text
    assert not {"script", "link", "img"} & set(page.tags)


def test_the_key_has_pytorchs_answer_and_the_reason() -> None:
    with compute.running_inline():
        page = made((STEP.id,), has_answers=True)

    assert page.text.count("✓") == 1 + len(STEP.words.rounds)
    assert "✓\u2002RuntimeError" in page.text
    assert MESSAGE in page.text


def test_what_cannot_be_run_now_is_said_and_the_rest_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: object) -> None:
        raise PlaygroundError("compute_unavailable")

    monkeypatch.setattr(compute, "run", refuse)
    page = made((STEP.id,), has_answers=True)

    assert page.text.count(table()["teacher.sheet-unanswered"].said(Language.EN)) == 1 + len(
        STEP.words.rounds
    )


@pytest.mark.parametrize("lesson", [each.name for each in catalog.lessons()])
def test_every_lesson_can_be_printed(lesson: str) -> None:
    found = catalog.lesson(lesson)
    plan = [each.id for each in found.steps]

    page = Text(sheet.worksheet(found, plan, Machine(), Language.ZH, has_answers=False))

    asked = [each for each in found.steps if each.prediction]
    assert page.tags.count("section") == sum(1 + len(each.words.rounds) for each in asked)


@pytest.mark.parametrize(
    ("lesson", "step", "line", "times"),
    [
        ("custom_layers", "data_trap", "class MyLinear(nn.Module):", 1),  # once for all rounds
        ("training", "watch", "class Trainer:", 0),  # part of 140 lines
    ],
)
def test_what_the_page_folds_is_printed_once_or_not_at_all(
    lesson: str, step: str, line: str, times: int
) -> None:
    found = catalog.lesson(lesson)
    page = sheet.worksheet(found, [step], Machine(), Language.EN, has_answers=False).decode()
    rounds = len(found.step(step).words.rounds)

    assert rounds > 0
    assert page.count(line) == times
    assert page.count('class="note"') == 1 + rounds - times


def test_what_changed_since_the_round_before_is_marked() -> None:
    page = sheet.worksheet(
        LESSON, ["tensor_bytes", "out_of_memory"], Machine(), Language.EN, has_answers=False
    ).decode()
    first, second = (
        page.index(LESSON.step(each).title.en) for each in ("tensor_bytes", "out_of_memory")
    )

    assert "changed" not in page[page.index("</style>") : page.index("<section>", first)]
    assert "changed" in page[page.index("<section>", first) : second]
    assert "changed" not in page[second : page.index("<section>", second)]  # of another step
