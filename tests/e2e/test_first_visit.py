"""A student's first visit, in a real browser."""

import re
import urllib.request

import pytest
from playwright.sync_api import expect

from playground import catalog
from tests.e2e.conftest import wait_until_drawn, words
from tests.e2e.server import Server, wait_until_healthy, without_torch

pytestmark = pytest.mark.e2e


def test_the_first_screen_is_a_step_that_leads_on_and_loads_no_plotting_library(visit):
    page = visit("/?gpus=3")
    expect(page.locator(".tp-home-title")).to_be_visible()
    expect(page.locator(".tp-facts")).to_be_visible()
    expect(page.locator(".pp-choice").first).to_be_in_viewport()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert loaded
    assert not [name for name in loaded if re.search("plotly|matplotlib", name, re.IGNORECASE)]

    page.locator(".pp-choice").filter(has_text="RuntimeError").click()
    expect(page.locator(".pp-answer")).to_contain_text("RuntimeError")
    page.locator(".st-key-home-next a").click()
    first = catalog.lessons()[0]
    expect(page.locator(".pp-rail")).to_be_visible()
    expect(page.locator(".pp-title")).to_have_text(first.steps[2].title.en)
    expect(page).to_have_url(re.compile(rf"/{first.name}\?(.*&)?gpus=3(&|$)"))


def test_every_answer_carries_the_security_headers(server):
    with urllib.request.urlopen(server) as answer:
        headers = answer.headers

    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_a_deep_link_as_the_very_first_visit_shows_the_right_lesson_even_without_workers(
    arrive, tmp_path
):
    server = Server(without_torch(tmp_path))
    try:
        wait_until_healthy(server.url)
        page = arrive()
        page.goto(f"{server.url}/training?lang=zh&step=prepare_both")
        wait_until_drawn(page)
        page.locator("[data-key=run]").click()

        title = catalog.lesson("training").step("prepare_both").title.zh
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator(".st-key-lang")).to_be_visible()
        missing = words("failures.compute_unavailable", "zh")
        expect(page.get_by_text(missing).first).to_be_visible()
        assert "Traceback" not in page.content()
        assert str(tmp_path) not in page.content()
        page.goto("about:blank")  # leaves before the server does
    finally:
        server.stop()
