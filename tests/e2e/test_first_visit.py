"""What a student meets first, in a real browser."""

import re
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from playground import catalog
from tests.e2e.conftest import sideways, wait_until_drawn
from tests.e2e.server import Server, wait_until_healthy, without_torch
from ui.language import table

Visit = Callable[..., Page]
pytestmark = pytest.mark.e2e


def test_home_loads_no_plotting_library_and_leads_to_the_first_lesson(visit):
    page = visit("/")

    expect(page.locator(".tp-facts")).to_be_visible()
    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert loaded
    assert not [name for name in loaded if re.search("plotly|matplotlib", name, re.IGNORECASE)]

    page.locator("[data-key=run]").click()
    page.locator(".st-key-home-next a").click()

    expect(page.locator(".pp-rail")).to_be_visible()
    assert page.url.split("?")[0].endswith(f"/{catalog.lessons()[0].name}")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_browser_chooses_the_language(visit, locale):
    page = visit("/devices", locale=locale)

    title = catalog.lesson("devices").steps[0].title
    wanted = title.zh if locale == "zh-CN" else title.en
    expect(page.get_by_role("heading", level=1)).to_have_text(wanted.replace("`", ""))
    assert "lang=" not in page.url


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])  # the lessons: test_lesson.py
def test_home_never_scrolls_sideways_on_a_phone(visit, locale):
    page = visit("/", width=390, locale=locale)

    assert sideways(page) == 0


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
        missing = table()["failures.compute_unavailable"].zh
        expect(page.get_by_text(missing).first).to_be_visible()
        assert "Traceback" not in page.content()
        assert str(tmp_path) not in page.content()
        page.goto("about:blank")  # leaves before the server does
    finally:
        server.stop()
