"""A run that is stopped in a real browser: the page answers at once, and it can start again."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import wait_until_drawn

pytestmark = pytest.mark.e2e


def test_a_training_is_watched_stopped_changed_and_run_to_its_end(visit):
    page = visit("/training?step=watch&epochs=119")
    stop = page.locator(".st-key-training-watch-stop button")
    # A run of a second may end before a click that is aimed from here arrives.
    press_stop = """() => {
      const stop = document.querySelector(".st-key-training-watch-stop button");
      const isWatched = document.querySelector(".st-key-slot-picture img[src^='data:image/svg']");
      if (stop && isWatched && document.body.innerText.includes("/ 119")) stop.click();
      return document.body.innerText.includes("Stopped at");
    }"""

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    page.wait_for_function(press_stop)
    wait_until_drawn(page)
    expect(page.get_by_text("Stopped at")).to_be_visible()
    expect(page.locator(".pp-answer")).to_have_count(0)

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    expect(stop).to_be_visible()
    epochs = page.locator("[data-field=epochs]")
    epochs.fill("20")
    epochs.press("Enter")  # in the middle of the run, which makes way
    wait_until_drawn(page)
    expect(stop).to_have_count(0)
    expect(epochs).to_have_value("20")

    page.locator(".pp-choice").filter(has_text="4 to 10").click()
    expect(page.get_by_text("Steps of the optimizer")).to_be_visible()
    expect(page.locator(".pp-answer")).to_have_count(1)
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)
    chart, place = (page.locator(each).bounding_box() for each in (".js-plotly-plot", ".pp-chart"))
    assert abs(chart["y"] - place["y"]) < 2  # in the card, where the panel keeps a place for it


def test_a_training_is_played_paused_stepped_and_scrubbed_by_keyboard(visit):
    page = visit("/training?step=rates&epochs=4")
    shown = page.locator(".pp-frame:not([visibility=hidden])")
    expect(shown).to_have_attribute("data-frame", "0")  # untrained, before anything is asked

    page.locator(".pp-choice").first.click()
    scrub = page.locator(".pp-scrub")
    expect(shown).to_have_attribute("data-frame", "4")
    scrub.press("Home")
    expect(shown).to_have_attribute("data-frame", "0")
    page.locator(".pp-step_on").press("Enter")
    expect(shown).to_have_attribute("data-frame", "1")
    page.get_by_role("button", name="Play").click()
    expect(shown).to_have_attribute("data-frame", "4")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    scrub.press("Home")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_points_are_placed_by_clicks_and_by_a_table(visit):
    page = visit("/training?step=watch&num_gpus=0&dataset=own&own=-1+-1+0%3B1+1+1")
    own = page.locator(".pp-picture circle")
    expect(own).to_have_count(2)

    page.locator(".pp-class-1").click()
    size = page.locator(".pp-plane").bounding_box()
    for part in (0.3, 0.7):
        page.locator(".pp-plane").click(position={"x": size["width"] * part, "y": 20})
    expect(own).to_have_count(4)
    page.locator(".pp-plane").click(position={"x": size["width"] * 0.7, "y": 20})
    expect(own).to_have_count(3)
    wait_until_drawn(page)
    assert page.url.count("%3B") == 2

    page.locator(".st-key-training-watch-points summary").click()
    table = page.locator(".st-key-training-watch-points textarea")
    table.fill("0,0,0\n1,1,5")
    page.get_by_role("button", name="Use these points").click()
    expect(page.get_by_text("row 2 has the class")).to_be_visible()
    expect(own).to_have_count(3)
