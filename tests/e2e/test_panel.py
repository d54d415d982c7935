"""A step in the program panel, in a real browser: read, predicted, run, changed, shared."""

import re
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from playground import catalog
from playground.steps import load_step
from tests.e2e.conftest import sideways, wait_until_drawn
from ui.language import table

Visit = Callable[..., Page]
LESSON, STEP = "tensors", "same_device_error"
PATH = f"/{LESSON}?step={STEP}"
PHONE = 390
LOCALES = {catalog.Language.EN: "en-US", catalog.Language.ZH: "zh-CN"}
LESSONS = catalog.lessons()
pytestmark = pytest.mark.e2e


def words(key: str, language: str = "en") -> str:
    return table()[key].said(catalog.Language(language))


def line(page: Page, number: int) -> Locator:
    """A line of the program."""
    return page.locator(".pp-line").nth(number - 1)


def asked_line() -> int:
    number = load_step(LESSON, STEP)().asked_line()
    assert number is not None
    return number


def choose(page: Page, answer: str) -> None:
    page.locator(".pp-choice").filter(has_text=answer).click()


def test_the_answer_stands_under_the_line_that_gave_it(visit):
    page = visit(PATH)
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


def test_a_step_is_answered_by_keyboard_alone(visit):
    page = visit(PATH)
    expect(page.locator(".pp-choice").first).to_be_visible()
    page.keyboard.press("2")  # the second answer

    expect(page.locator(".pp-answer")).to_be_focused()
    expect(page.locator(".pp-answer")).to_contain_text(words("step.as-predicted"))
    page.locator(".pp-apply").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pp-answer.is-ok")).to_be_visible()
    page.locator(".pp-forward .is-primary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pp-title")).to_have_text(next_title())


def next_title() -> str:
    steps = [step.id for step in catalog.lesson(LESSON).steps]
    following = steps[steps.index(STEP) + 1]
    return catalog.lesson(LESSON).step(following).title.en


def test_a_changed_word_changes_the_program_without_a_new_mount(visit):
    page = visit(PATH)
    panel = page.locator(".pp")
    panel.evaluate("each => { each.isTheSame = true; }")
    choose(page, "RuntimeError")
    expect(page.locator(".pp-answer")).to_be_visible()

    page.locator("select[data-field=left]").select_option("cpu")

    expect(page.locator(".pp-answer")).to_have_count(0)  # what was not tried is not revealed
    expect(page.locator(".pp-question:not(.is-over)")).to_be_visible()
    expect(page.locator("select[data-field=left]")).to_have_value("cpu")
    assert panel.evaluate("each => each.isTheSame")
    choose(page, words("step.it-works").lower())
    expect(page.locator(".pp-answer.is-ok")).to_be_visible()
    assert "left=cpu" in page.url


def test_the_fix_is_applied_in_the_program(visit):
    page = visit(PATH)
    page.locator("[data-key=run]").click()
    page.locator(".pp-apply").click()

    fixed = line(page, asked_line())
    expect(fixed.locator(".pp-answer.is-ok")).to_be_visible()
    expect(fixed.locator(".pp-code")).to_contain_text('Y.to("cuda:0")')
    expect(page.locator(".pp-apply")).to_have_count(0)


@pytest.mark.parametrize("language", catalog.Language)
def test_a_step_fits_a_phone_and_the_sidebar_closes_after_a_choice(visit, language):
    page = visit("/", width=PHONE, locale=LOCALES[language])
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.locator(f"[data-testid=stSidebarNavLink][href$='/{LESSON}']").click()
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_have_count(0)
    page.locator("[data-key=run]").click()
    expect(page.locator(".pp-answer")).to_be_visible()

    assert sideways(page) == 0
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


def test_a_link_brings_the_settings_and_no_answer_to_another_browser(visit, arrive):
    page = visit(PATH)
    page.locator("select[data-field=left]").select_option("cuda:1")
    page.locator("[data-key=run]").click()
    expect(page.locator(".pp-answer")).to_contain_text("cuda:1")
    link = page.evaluate("document.querySelector('.pp').panel?.data.link ?? location.href")

    other = arrive(locale="zh-CN")
    other.goto(link)
    wait_until_drawn(other)

    expect(other.locator(".pp-title")).to_have_text(catalog.lesson(LESSON).step(STEP).title.zh)
    expect(other.locator("select[data-field=left]")).to_have_value("cuda:1")
    expect(other.locator(".pp-question:not(.is-over)")).to_be_visible()
    expect(other.locator(".pp-answer")).to_have_count(0)


def test_progress_survives_a_reload_and_home_leads_back(visit):
    page = visit(PATH)
    page.locator("[data-key=run]").click()
    expect(page.locator(".pp-answer")).to_be_visible()
    page.locator(".pp-forward .is-primary").click()
    expect(page.locator(".pp-rail .is-done")).to_have_count(1)

    page.reload()
    expect(page.locator(".pp-rail .is-done")).to_have_count(1)
    page.goto(page.url.partition("/tensors")[0])  # and from the first page of another visit
    way = words("home.continue").replace("{title}", next_title())
    page.get_by_role("link", name=way).click()
    expect(page.locator(".pp-title")).to_have_text(next_title())


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


def test_the_first_screen_is_a_step_that_leads_on(visit):
    page = visit("/?gpus=3")
    expect(page.locator(".tp-home-title")).to_be_visible()
    expect(page.locator(".pp-choice").first).to_be_in_viewport()
    choose(page, "RuntimeError")
    expect(page.locator(".pp-answer")).to_contain_text("RuntimeError")
    page.locator(".st-key-home-next a").click()

    expect(page.locator(".pp-rail")).to_be_visible()
    expect(page.locator(".pp-title")).to_have_text(next_title())
    expect(page).to_have_url(re.compile(r"/tensors\?(.*&)?gpus=3(&|$)"))


def test_where_the_component_does_not_load_ordinary_controls_take_its_place(visit):
    page = visit(f"{PATH}&panel_plain=true")

    expect(page.locator("[data-testid=stCode]").first).to_contain_text("import torch")
    page.get_by_role("button", name=words("panel.run")).click()
    expect(page.locator(".tp-refused")).to_contain_text("RuntimeError")


def test_a_quiz_is_taken_by_keyboard_alone(visit):
    page = visit("/save_and_load?step=summary")
    page.locator(".st-key-to-quiz a").focus()
    page.keyboard.press("Enter")
    for number in range(1, 6):
        title = words("quiz.question").format(number=number, count=5)
        expect(page.locator(".pp-title")).to_have_text(title)
        expect(page.locator(".pp select, .pp input, [data-key=reset]")).to_have_count(0)
        page.keyboard.press("1")
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
    program = page.locator(".pp-lines").inner_text()
    page.reload()
    expect(page.locator(".pp-lines")).to_have_text(program, use_inner_text=True)
    page.locator("[data-testid=stSidebarNavLink][href$='/save_and_load']").click()
    expect(page.locator(".pp-rail")).to_be_visible()
    expect(page.locator(".pp-rail .is-done")).to_have_count(0)


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
    page.locator(".pp-dot").nth(
        [each.id for each in catalog.lesson(LESSON).steps].index(STEP)
    ).click()
    expect(editor).to_contain_text("X @ X")
    page.locator(".st-key-lab-back button").click()
    expect(line(page, asked_line())).to_have_class(re.compile("is-asked"))
    expect(page.locator("select[data-field=left]")).to_have_value("cuda:0")


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_one_press_of_back_returns_from_the_lab_to_the_step_and_another_leaves_it(visit):
    page = visit("/?machine=simulated&gpus=3")
    page.locator(f"[data-testid=stSidebarNavLink][href*='/{LESSON}']").click()
    page.locator(".pp-dot").nth(1).click()
    page.locator("select[data-field=left]").select_option("cuda:2")
    expect(page).to_have_url(re.compile("left=cuda%3A2"))
    page.locator("[data-key=lab]").click()
    expect(page.locator(".cm-content")).to_contain_text('device="cuda:2"')
    wait_until_drawn(page)
    assert "gpus=3" in page.url

    page.go_back()

    expect(page.locator("select[data-field=left]")).to_have_value("cuda:2")
    expect(page.locator("select[data-field=left] option[value='cuda:2']")).to_have_count(1)
    wait_until_drawn(page)
    page.go_back()
    expect(page.locator(".pp-title")).to_have_text(catalog.lesson(LESSON).steps[0].title.en)


@pytest.mark.parametrize("number", range(len(LESSONS)), ids=[each.name for each in LESSONS])
def test_every_step_is_run_in_the_browser_and_its_program_does_not_wrap(visit, number):
    lesson = LESSONS[number]
    language = list(catalog.Language)[number % 2]
    scheme = ("light", "dark")[number // 2 % 2]
    page = visit(
        f"/{lesson.name}?step={lesson.steps[0].id}", locale=LOCALES[language], scheme=scheme
    )
    for index, step in enumerate(lesson.steps):
        if index:
            page.locator(".pp-rail button").nth(index).click()
        expect(page.locator(".pp-title")).to_have_text(step.title.said(language).replace("`", ""))
        heights = page.locator(".pp-line .pp-code").evaluate_all(
            "all => all.map(each => each.getClientRects().length && each.offsetHeight)"
        )
        if step.prediction:
            page.locator("[data-key=run]").click()
        expect(page.locator(".pp-reason")).to_be_visible()
        assert max(heights) < 2 * min(filter(None, heights)), step.id
        assert sideways(page) == 0, step.id
