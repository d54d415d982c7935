"""A run that is stopped in a real browser: the page answers at once, and it can start again."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import settle

pytestmark = pytest.mark.e2e


def test_a_training_is_watched_stopped_changed_and_run_to_its_end(visit):
    page = visit("/training?step=watch&epochs=119")
    stop = page.locator(".st-key-training-watch-stop button")

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    expect(page.get_by_text("/ 119")).to_be_visible()
    expect(page.locator("img[src^='data:image/svg']")).to_be_visible()
    expect(page.locator(".pp-choice")).to_have_count(0)
    stop.click()
    settle(page)
    expect(page.get_by_text("Stopped at")).to_be_visible()
    expect(page.locator(".pp-answer")).to_have_count(0)

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    expect(stop).to_be_visible()
    epochs = page.locator("[data-field=epochs]")
    epochs.fill("20")
    epochs.press("Enter")  # in the middle of the run, which makes way
    settle(page)
    expect(stop).to_have_count(0)
    expect(epochs).to_have_value("20")

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    expect(page.get_by_text("Steps of the optimizer")).to_be_visible()
    expect(page.locator(".pp-picture svg circle").first).to_be_visible()
    expect(page.locator(".pp-answer")).to_have_count(1)
