"""A class in a room: the teacher asks, students vote, and the projector shows it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground.catalog import Language
from tests.e2e.conftest import wait_until_drawn, words
from tests.e2e.server import wait_until_healthy
from tests.e2e.test_teacher import AT_THE_DOOR, CODE, TEACHERS_CODE, enter, open_school

Arrive = Callable[..., Page]
pytestmark = pytest.mark.e2e
BANNER, CHOICE = "#tp-live", "button.pp-choice"


def banner(page: Page, key: str, language: Language = Language.EN) -> None:
    expect(page.locator(f"{BANNER} span")).to_have_text(words(key, language))


def show_on_the_wall(teacher: Page, stage: str) -> None:
    text = words(f"teacher.live-stage-{stage}")
    teacher.locator(".st-key-live-stage").get_by_text(text, exact=True).click()
    wait_until_drawn(teacher)


def follow(page: Page) -> None:
    page.locator(f"{BANNER} button").click()
    wait_until_drawn(page)


def test_a_class_votes_is_shown_the_answer_and_votes_again(arrive: Arrive, tmp_path: Path) -> None:
    school = open_school(tmp_path)
    teacher = arrive(by_design=AT_THE_DOOR)
    wall = arrive(width=1920, scheme="dark", by_design=AT_THE_DOOR)
    ada = arrive(width=390, by_design=AT_THE_DOOR)
    bob = arrive(locale="zh-CN", by_design=AT_THE_DOOR)
    try:
        wait_until_healthy(school.url)
        enter(teacher, school.url, TEACHERS_CODE, "/teacher")
        enter(wall, school.url, TEACHERS_CODE, "/projector")
        enter(ada, school.url, CODE, "/")
        enter(bob, school.url, CODE, "/tensors?step=same_device_error&left=cpu")
        expect(wall.locator(".pj-lobby")).to_contain_text(CODE)
        teacher.locator(".st-key-live-step input").fill("Two tensors meet")
        teacher.keyboard.press("Enter")
        wait_until_drawn(teacher)
        teacher.locator(".st-key-live-ask button").click()
        expect(wall.locator(".pj-question")).to_be_visible()

        for page in (ada, bob):  # one on another page, one at other settings of the same step
            follow(page)
            expect(page).to_have_url(f"{school.url}/tensors?step=same_device_error")
        ada.locator(CHOICE).nth(0).click()
        bob.locator(CHOICE).nth(1).click()
        banner(ada, "live.here-voted")
        banner(bob, "live.here-voted", Language.ZH)
        for page in (ada, bob):
            expect(page.locator(".pp-answer")).to_have_count(0)
        expect(wall.locator(".pj-count b")).to_contain_text("2")
        expect(ada.locator(".pp-choice.is-same")).to_have_count(1)
        bob.locator(CHOICE).nth(0).click()  # changes the answer
        show_on_the_wall(teacher, "histogram")
        expect(wall.locator(".pj-choice").nth(0)).to_contain_text("100")
        again = words("teacher.live-again")
        teacher.get_by_role("button", name=again, exact=True).click()
        banner(ada, "live.here-asked")
        expect(ada.locator(".pp-choice.is-same")).to_have_count(0)
        ada.locator(CHOICE).nth(1).click()
        banner(ada, "live.here-voted")
        show_on_the_wall(teacher, "answer")
        expect(wall.locator(".pj-choice.is-right .pj-bar")).to_have_count(2)
        expect(wall.locator(".pj-answer")).to_be_visible()
        for page in (ada, bob):
            expect(page.locator(".pp-answer")).to_be_visible()
            expect(page.locator(BANNER)).to_be_hidden()
        expect(ada.locator(".pp-choice.is-truth")).to_have_count(1)
        for page in (teacher, wall, ada, bob):
            page.goto("about:blank")  # leaves before the server does
    finally:
        school.stop()
