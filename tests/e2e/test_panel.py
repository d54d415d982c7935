"""A step in the program panel, in a real browser: read, predicted, run, changed, shared."""

import re
import sys

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from playground import catalog
from playground.steps import Step, load_step
from tests.e2e.conftest import sideways, wait_until_drawn, words

LESSON, STEP = "tensors", "same_device_error"  # the second one
NEXT = catalog.lesson(LESSON).steps[2].title.en
PATH = f"/{LESSON}?step={STEP}"
PHONE = 390
LOCALES = {catalog.Language.EN: "en-US", catalog.Language.ZH: "zh-CN"}
LESSONS = catalog.lessons()
# The numbers of the steps with an experiment of their own; of the other steps: test_panel_script.py
OWN = {
    number: own
    for number, lesson in enumerate(LESSONS)
    if (
        own := [
            index
            for index, step in enumerate(lesson.steps)
            if load_step(lesson.name, step.id).experiment is not Step.experiment
        ]
    )
}
pytestmark = pytest.mark.e2e


def line(page: Page, number: int) -> Locator:
    """A line of the program."""
    return page.locator(".pp-line").nth(number - 1)


def asked_line() -> int:
    number = load_step(LESSON, STEP)().asked_line()
    assert number is not None
    return number


def choose(page: Page, answer: str) -> None:
    page.locator(".pp-choice").filter(has_text=answer).click()


def test_the_answer_stands_under_its_line_until_a_word_changes_and_a_link_has_none(visit, arrive):
    page = visit(PATH)
    panel = page.locator(".pp")
    panel.evaluate("each => { each.isTheSame = true; }")
    expect(page.locator(".pp-answer")).to_have_count(0)
    choose(page, words("step.it-works").lower())
    answered = line(page, asked_line())
    expect(answered.locator(".pp-answer")).to_contain_text("RuntimeError")
    expect(answered.locator(".pp-answer")).to_contain_text("cuda:0")
    expect(answered.locator(".pp-said")).to_contain_text(
        words("step.not-as-predicted").split("{")[0].strip()
    )
    expect(page.locator(".pp-reason")).to_be_visible()
    expect(page.locator(".pp-line.is-after")).to_have_count(1)  # print(Z) did not run

    page.locator("select[data-field=left]").select_option("cpu")
    expect(page.locator(".pp-answer")).to_have_count(0)  # what was not tried is not revealed
    expect(page.locator(".pp-question:not(.is-over)")).to_be_visible()
    expect(page.locator("select[data-field=left]")).to_have_value("cpu")
    assert panel.evaluate("each => each.isTheSame")
    choose(page, words("step.it-works").lower())
    expect(page.locator(".pp-answer.is-ok")).to_be_visible()
    assert "left=cpu" in page.url

    other = arrive(locale="zh-CN")
    other.goto(page.evaluate("document.querySelector('.pp').panel?.data.link ?? location.href"))
    wait_until_drawn(other)
    expect(other.locator(".pp-title")).to_have_text(catalog.lesson(LESSON).step(STEP).title.zh)
    expect(other.locator("select[data-field=left]")).to_have_value("cpu")
    expect(other.locator(".pp-question:not(.is-over)")).to_be_visible()
    expect(other.locator(".pp-answer")).to_have_count(0)


def test_a_step_is_answered_and_fixed_by_keyboard_alone_and_progress_survives_a_reload(visit):
    page = visit(PATH)
    expect(page.locator(".pp-choice").first).to_be_visible()
    page.keyboard.press("2")  # the second answer
    expect(page.locator(".pp-answer")).to_be_focused()
    expect(page.locator(".pp-answer")).to_contain_text(words("step.as-predicted"))
    page.locator(".pp-apply").focus()
    page.keyboard.press("Enter")
    fixed = line(page, asked_line())
    expect(fixed.locator(".pp-answer.is-ok")).to_be_visible()
    expect(fixed.locator(".pp-code")).to_contain_text('Y.to("cuda:0")')
    expect(page.locator(".pp-apply")).to_have_count(0)
    page.locator(".pp-forward .is-primary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pp-title")).to_have_text(NEXT)
    expect(page.locator(".pp-rail .is-done")).to_have_count(1)

    page.reload()
    expect(page.locator(".pp-rail .is-done")).to_have_count(1)
    page.goto(page.url.partition("/tensors")[0])  # and from the first page of another visit
    way = words("home.continue").replace("{title}", NEXT)
    page.get_by_role("link", name=way).click()
    expect(page.locator(".pp-title")).to_have_text(NEXT)


@pytest.mark.parametrize("language", catalog.Language)
def test_in_the_browsers_language_a_page_fits_a_phone_and_its_sidebar_closes(visit, language):
    page = visit("/", width=PHONE, locale=LOCALES[language])
    assert sideways(page) == 0
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.locator(f"[data-testid=stSidebarNavLink][href$='/{LESSON}']").click()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_have_count(0)
    page.locator("[data-key=run]").click()
    expect(page.locator(".pp-answer")).to_be_visible()

    assert sideways(page) == 0
    assert "lang=" not in page.url
    assert page.evaluate("document.documentElement.lang") == {"en": "en", "zh": "zh-CN"}[language]
    lesson = catalog.lesson(LESSON)
    titles = (lesson.steps[0].title.said(language), lesson.title.said(language))
    expect(page).to_have_title(" · ".join((*titles, words("app.name", language))))


def test_the_sidebar_closes_though_the_script_of_the_page_comes_after_the_choice(arrive, server):
    page, held = arrive(width=PHONE), []
    page.route("**/page.js*", lambda route: held.append(route))
    page.goto(server)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.locator(f"[data-testid=stSidebarNavLink][href$='/{LESSON}']").click()
    expect(page.locator(".pp-rail")).to_be_visible()
    for each in held:
        each.continue_()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_have_count(0)


def test_one_press_of_back_goes_one_step_back_and_then_leaves_the_lesson(visit):
    page = visit("/")
    page.locator(f"[data-testid=stSidebarNavLink][href$='/{LESSON}']").click()
    first, second = (each.title.en for each in catalog.lesson(LESSON).steps[:2])
    expect(page.locator(".pp-title")).to_have_text(first)
    page.locator("[data-key=run]").click()
    expect(page.locator(".pp-answer")).to_be_visible()
    page.locator(".pp-forward .is-primary").click()
    expect(page).to_have_title(re.compile(f"^{second} · "))
    page.locator("select[data-field=left]").select_option("cpu")  # no entry of its own
    expect(page).to_have_url(re.compile("left=cpu"))

    page.go_back()
    expect(page).to_have_title(re.compile(f"^{first} · "))
    expect(page.locator(".pp-title")).to_have_text(first)
    expect(page.locator(".pp-answer")).to_be_visible()
    page.go_forward()  # at once: what Back asked for may still be going on
    expect(page.locator(".pp-title")).to_have_text(second)
    expect(page.locator("select[data-field=left]")).to_have_value("cpu")
    wait_until_drawn(page)
    page.go_back()
    expect(page.locator(".pp-title")).to_have_text(first)
    wait_until_drawn(page)
    page.go_back()

    expect(page.locator(".tp-home-title")).to_be_visible()


def test_a_quiz_is_taken_by_keyboard_alone(visit):
    page = visit("/save_and_load?step=summary")
    held: list[Route] = []
    page.route("**/panel.css*", lambda route: held.append(route), times=1)
    page.locator(".st-key-to-quiz a").focus()
    page.keyboard.press("Enter")
    for number in range(1, 6):
        title = words("quiz.question").format(number=number, count=5)
        expect(page.locator(".pp-title")).to_have_text(title)
        expect(page.locator(".pp select, .pp input, [data-key=reset]")).to_have_count(0)
        page.keyboard.press("1")
        expect(page.locator(".pp-answer")).to_have_count(1)
        while held:  # the panel is hidden until its style sheet is there: after the first answer
            held.pop().continue_()
        expect(page.locator(".pp-answer")).to_be_focused()
        expect(page.locator(".pp-reason")).to_be_visible()
        page.locator(".pp-forward .is-primary").focus()
        page.keyboard.press("Enter")

    expect(page.locator(".pp-title")).to_be_focused()
    look = page.get_by_role("link", name=words("quiz.look").format(number=1))
    expect(look).to_be_visible()
    other = page.get_by_role("link", name=words("quiz.other"))
    other.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pp-choice").first).to_be_visible()
    expect(page).to_have_url(re.compile("chapter=files&seed=2"))


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_a_program_is_edited_in_place_and_the_text_is_kept(visit):
    page = visit(PATH)
    page.locator("[data-key=edit]").click()
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text('device="cuda:0"')
    expect(page.locator(".pp-line")).to_have_count(0)
    wait_until_drawn(page)
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("import torch\nX = torch.ones(2, 3)\nX @ X\n")
    page.keyboard.press("Control+Enter")

    expect(line(page, 2).locator(".pp-note")).to_have_text("X (2, 3) float32cpu")
    expect(line(page, 3).locator(".pp-answer")).to_contain_text("mat1 and mat2 shapes")
    expect(page.locator(".cm-marked")).to_have_text("X @ X")
    wait_until_drawn(page)
    page.locator(".pp-dot").nth(0).click()
    expect(page.locator(".pp-line").first).to_be_visible()
    expect(editor).to_have_count(0)
    page.locator(".pp-dot").nth(1).click()
    expect(editor).to_contain_text("X @ X")


@pytest.mark.parametrize("number", OWN, ids=[LESSONS[number].name for number in OWN])
def test_steps_with_experiments_of_their_own_are_answered_in_the_browser_and_fit(visit, number):
    lesson = LESSONS[number]
    language = list(catalog.Language)[number % 2]
    scheme = ("light", "dark")[number // 2 % 2]
    page = visit(f"/{lesson.name}", locale=LOCALES[language], scheme=scheme)
    for index in OWN[number]:
        step = lesson.steps[index]
        page.locator(".pp-rail button").nth(index).click()
        expect(page.locator(".pp-title")).to_have_text(step.title.said(language).replace("`", ""))
        if step.prediction:
            page.locator("[data-key=run]").click()
        expect(page.locator(".pp-reason")).to_be_visible()
        assert sideways(page) == 0, step.id
