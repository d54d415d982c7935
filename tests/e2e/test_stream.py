"""A run that is stopped in a real browser: the card is drawn at once, and can be started again."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import settle

pytestmark = pytest.mark.e2e


def test_a_training_is_watched_stopped_changed_and_run_to_its_end(
    visit: Callable[..., Page],
) -> None:
    page = visit("/training?training_watch_epochs=300&training_watch_seed=77")
    card = page.locator(".st-key-card-training-watch")

    card.locator(".st-key-training_watch_start button").click()
    expect(card.get_by_text("/ 300")).to_be_visible()
    expect(card.locator("img[src^='data:image/svg']")).to_be_visible()
    card.locator(".st-key-training_watch_stop button").click()
    settle(page)
    expect(card.get_by_text("Stopped at")).to_be_visible()

    card.locator(".st-key-training_watch_start button").click()
    expect(card.locator(".st-key-training_watch_stop button")).to_be_visible()
    epochs = card.locator(".st-key-training_watch_epochs input")
    epochs.fill("20")
    epochs.press("Enter")  # in the middle of the run, which makes way
    settle(page)
    expect(card.locator(".st-key-training_watch_stop button")).to_have_count(0)
    expect(epochs).to_have_value("20")

    card.locator(".st-key-training_watch_start button").click()
    expect(card.get_by_text("Steps that were clipped")).to_be_visible()
    expect(card.locator("[data-testid=stPlotlyChart]")).to_have_count(2)
