"""A lesson from the first step to the file that is taken home, in a real browser."""

import ast
import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from playground import catalog
from tests.e2e.conftest import settle, sideways
from ui.words import table

Visit = Callable[..., Page]
LESSONS = [lesson.name for lesson in catalog.lessons() if not lesson.has_step_modules]
LOCALES = {catalog.Language.EN: "en-US", catalog.Language.ZH: "zh-CN"}
IN_TURN = list(zip(LESSONS, cycle(LOCALES), strict=False))
PHONE = 390
pytestmark = pytest.mark.e2e


def card(page: Page, lesson: str, step: str) -> object:
    return page.locator(f".st-key-card-{lesson}-{step}")


@pytest.mark.parametrize(("lesson", "language"), IN_TURN)
def test_a_lesson_is_clicked_through_and_fits_a_phone(
    visit: Visit, lesson: str, language: catalog.Language
) -> None:
    page = visit(f"/{lesson}", locale=LOCALES[language])
    steps = catalog.lesson(lesson).steps
    for step in steps:
        if step.prediction:
            answer_step(page, lesson, step.id)

    row = page.locator("[class*='st-key-open-'] button")  # what asks nothing opens nothing
    while row.count():
        row.first.click()
        settle(page)
    expect(page.locator("[class*='st-key-card-']")).to_have_count(len(steps))
    expect(page.locator(".st-key-lesson-bar")).to_contain_text(str(len(steps)))
    page.set_viewport_size({"width": PHONE, "height": 900})
    for step in steps:
        card(page, lesson, step.id).scroll_into_view_if_needed()
    settle(page)

    assert sideways(page) == 0
    assert not page.get_by_text(table()["failures.unforeseen"].said(language)).count()


def answer_step(page: Page, lesson: str, step: str) -> None:
    """Open a step unless it is open, say the first answer there is, and wait for torch's."""
    row = page.locator(f".st-key-open-{lesson}-{step} button")
    asked = page.locator(f".st-key-{lesson}_{step}_prediction")
    expect(row.or_(asked).filter(visible=True).first).to_be_visible()
    if row.count():  # not opened by an answer: the step before it asks nothing
        row.click()
        settle(page)
    answers = page.locator(f".st-key-{lesson}_{step}_answer")  # the way past it may be there first
    answers.get_by_role("radio").or_(answers.locator("button")).first.click()
    settle(page)
    start = page.locator(f".st-key-{lesson}_{step}_start [data-testid=stBaseButton-primary]")
    answer = card(page, lesson, step).locator(".tp-head").first
    expect(start.or_(answer.filter(has_text="—")).first).to_be_visible()
    if start.count():  # what takes long is begun by the student
        start.click()
    expect(answer).to_contain_text("—")  # a verdict, whichever it is
    settle(page)


def test_the_same_device_error_is_torchs_and_its_fix_follows(visit: Visit) -> None:
    page = visit("/models?step=input-and-model")
    asked = page.locator(".st-key-models_input-and-model_prediction")
    asked.get_by_text("RuntimeError", exact=True).click()
    settle(page)

    meeting = card(page, "models", "input-and-model")
    expect(meeting.locator(".tp-refused")).to_contain_text("as you predicted")
    expect(meeting.locator(".tp-refused")).to_contain_text("same device")
    expect(meeting.locator(".tp-refused .tp-device").first).to_be_visible()
    expect(meeting.locator(".tp-badge").first).to_contain_text("simulated")
    expect(meeting.locator("[data-testid=stPlotlyChart]").first).to_be_visible()


def test_a_link_restores_what_was_on_the_screen_in_the_other_language(visit: Visit) -> None:
    page = visit("/models?step=input-and-model")
    key = ".st-key-models_input-and-model_model"
    page.locator(key).get_by_text("cuda:1", exact=True).click()
    settle(page)
    link = page.url.split("/", 3)[3]

    again = visit(f"/{link}", locale="zh-CN")

    chosen = again.locator(f"{key} [aria-checked=true], {key} [kind$=Active]")
    expect(chosen).to_have_text("cuda:1")
    expect(again.get_by_role("heading", level=1)).to_have_text(catalog.lesson("models").title.zh)


def test_the_language_is_switched_without_losing_a_value(visit: Visit) -> None:
    page = visit("/models?step=input-and-model")
    key = ".st-key-models_input-and-model_model"
    page.locator(key).get_by_text("cuda:1", exact=True).click()
    settle(page)
    page.locator(".st-key-lang").get_by_text("中文").click()
    settle(page)

    expect(page.get_by_role("heading", level=1)).to_have_text(catalog.lesson("models").title.zh)
    expect(page.locator(f"{key} [aria-checked=true], {key} [kind$=Active]")).to_have_text("cuda:1")


@pytest.mark.parametrize("lesson", LESSONS[:2])  # tests/test_export.py executes those of all
def test_the_downloads_open(visit: Visit, lesson: str, tmp_path: Path) -> None:
    page = visit(f"/{lesson}")
    page.locator(".st-key-take-away button").first.click()
    files = {}
    for kind in ("script", "notebook"):
        with page.expect_download() as expected:
            page.locator(f".st-key-take-away-{kind} button").click()
        files[kind] = tmp_path / expected.value.suggested_filename
        expected.value.save_as(files[kind])

    assert "import torch" in files["script"].read_text("utf-8")
    ast.parse(files["script"].read_text("utf-8"))
    notebook = nbformat.from_dict(json.loads(files["notebook"].read_text("utf-8")))
    nbformat.validate(notebook)
    assert len(notebook.cells) > len(catalog.lesson(lesson).steps)


def test_a_step_is_predicted_with_the_keyboard_alone(visit: Visit) -> None:
    page = visit("/models?step=input-and-model")
    asked = page.locator(".st-key-models_input-and-model_skip button")
    asked.focus()
    page.keyboard.press("Enter")
    settle(page)

    expect(card(page, "models", "input-and-model").locator(".tp-refused")).to_be_visible()


def test_an_address_full_of_nonsense_shows_the_lesson_at_its_defaults(visit: Visit) -> None:
    page = visit("/models?models_input-and-model_model=moon&gpus=900&machine=xyz&lang=tlh")

    expect(page.get_by_role("heading", level=1)).to_have_text(catalog.lesson("models").title.en)
    assert not page.get_by_text("went wrong").count()


def test_a_lesson_opens_with_one_step_and_an_answer_opens_the_next(visit: Visit) -> None:
    page = visit("/models")
    first, second, third = catalog.lesson("models").steps[:3]
    expect(page.locator("[class*='st-key-card-models-']")).to_have_count(1)

    page.locator(f".st-key-models_{first.id}_skip button").click()
    settle(page)
    expect(card(page, "models", second.id)).to_be_visible()
    expect(card(page, "models", third.id)).to_have_count(0)
    expect(page.locator(".st-key-lesson-bar")).to_contain_text("1 of")
    page.locator(f".st-key-open-models-{third.id} button").press("Enter")
    settle(page)
    expect(card(page, "models", third.id)).to_be_visible()
    expect(card(page, "models", first.id).locator(".tp-outcome")).to_be_visible()
    assert f"step={third.id}" in page.url


def test_what_was_set_is_still_there_when_a_folded_step_is_opened_again(visit: Visit) -> None:
    page = visit("/models?step=input-and-model")
    key = ".st-key-models_input-and-model_model"
    page.locator(key).get_by_text("cuda:1", exact=True).click()
    settle(page)
    page.locator("[data-testid=stSidebarNavLink]").first.click()
    settle(page)
    page.locator("[data-testid=stSidebarNavLink][href$='/models']").click()
    settle(page)
    page.locator(".st-key-steps").get_by_text("Show all steps").click()
    settle(page)

    expect(page.locator(f"{key} [aria-checked=true], {key} [kind$=Active]")).to_have_text("cuda:1")
    expect(page.locator("[class*='st-key-card-models-']")).to_have_count(
        len(catalog.lesson("models").steps)
    )


def test_the_program_comes_when_it_is_opened(visit: Visit) -> None:
    page = visit("/models?models_input-and-model_predicted=skipped")
    meeting = card(page, "models", "input-and-model")
    program = meeting.locator(".st-key-models_input-and-model_code")
    expect(program.locator("[data-testid=stCode]")).to_have_count(0)

    program.locator("summary").focus()
    page.keyboard.press("Enter")
    settle(page)

    expect(program.locator("[data-testid=stCode]")).to_contain_text("import torch")
    expect(meeting.locator(".tp-refused")).to_be_visible()
