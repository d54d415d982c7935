"""Two tabs of one browser: neither changes what the other shows, has done, or keeps."""

import json
import sys

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import wait_until_drawn

pytestmark = pytest.mark.e2e
TEXT = ".cm-content"


@pytest.fixture
def two_tabs(visit, server):
    """Open two paths, each in a tab of the same browser."""

    def open_both(first, second):
        one = visit(first)
        other = one.context.new_page()
        other.goto(server + second)
        wait_until_drawn(other)
        return one, other

    return open_both


def front(page):
    """Look at a tab: the browser draws no other one, and a click waits for what is drawn."""
    page.bring_to_front()
    return page


def kept(page):
    return set(json.loads(page.evaluate("localStorage['torch-playground']"))["done"])


def test_steps_settings_answers_and_progress_stay_apart_and_add_up(two_tabs):
    one, other = two_tabs("/tensors?step=same_device_error", "/tensors?step=move")
    front(other).locator("[data-key=run]").click()
    expect(other.locator(".pp-answer")).to_be_visible()
    wait_until_drawn(other)
    program = other.locator(".pp-lines").inner_text()
    assert kept(other) == {"tensors/move"}
    front(one).locator("[data-field=left]").select_option("cuda:1")
    wait_until_drawn(one)
    expect(one.locator(".pp-answer")).to_have_count(0)
    assert "left=cuda%3A1" in one.url
    one.locator("[data-key=run]").click()
    expect(one.locator(".pp-answer")).to_be_visible()
    wait_until_drawn(one)
    assert kept(one) == {"tensors/move", "tensors/same_device_error"}
    assert front(other).locator(".pp-lines").inner_text() == program
    assert "step=move" in other.url
    assert "cuda%3A1" not in other.url
    other.locator("[data-key=again]").click()  # which writes this tab's own progress again
    wait_until_drawn(other)
    assert kept(other) == {"tensors/move", "tensors/same_device_error"}
    other.goto(other.url.partition("/tensors")[0] + "/me")  # a page without a panel, in a new visit
    expect(other.locator("table")).to_contain_text("2 of 14")
    other.locator(".st-key-progress-sure label").click()
    other.locator(".st-key-progress-forget button").click()
    other.wait_for_function("() => !JSON.parse(localStorage['torch-playground']).done.length")


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")
def test_programs_of_the_lab_stay_apart_and_none_is_lost(two_tabs):
    pages = two_tabs("/lab", "/lab")
    for number, page in enumerate(pages):
        front(page).locator(TEXT).click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(f"mine = {number}\nprint(mine)")
    for number, page in enumerate(pages):
        front(page).locator(".st-key-lab-run button").click()
        expect(page.locator(".pp-printed").first).to_have_text(str(number))
        wait_until_drawn(page)

    for number, page in enumerate(pages):
        front(page).reload()
        expect(page.locator(TEXT)).to_contain_text(f"mine = {number}")
        expect(page.locator(".tp-programs").get_by_role("tab")).to_have_count(2)
