"""What a student meets first, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from playground import catalog
from tests.e2e.conftest import Server, settle, sideways
from ui.words import table

Visit = Callable[..., Page]
pytestmark = pytest.mark.e2e


def test_home_leads_to_the_first_lesson(visit: Visit) -> None:
    page = visit("/")

    page.locator(".st-key-start button").click()
    settle(page)

    first = catalog.lessons()[0]
    expect(page.get_by_role("heading", level=1)).to_have_text(first.title.en)
    assert page.url.split("?")[0].endswith(f"/{first.name}")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_browser_chooses_the_language(visit: Visit, locale: str) -> None:
    page = visit("/devices", locale=locale)

    title = catalog.lesson("devices").title
    wanted = title.zh if locale == "zh-CN" else title.en
    expect(page.get_by_role("heading", level=1)).to_have_text(wanted)
    assert "lang=" not in page.url


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])  # the lessons: test_lesson.py
def test_home_never_scrolls_sideways_on_a_phone(visit: Visit, locale: str) -> None:
    page = visit("/", width=390, locale=locale)

    assert sideways(page) == 0


def test_every_answer_carries_the_security_headers(visit: Visit) -> None:
    page = visit("/")

    headers = page.request.get(page.url).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_home_loads_no_plotly(visit: Visit) -> None:
    page = visit("/")

    loaded = page.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert not [name for name in loaded if re.search("plotly", name, re.IGNORECASE)]
    expect(page.locator(".tp-facts")).to_be_visible()


def test_a_deep_link_as_the_very_first_visit_shows_the_right_lesson_even_without_workers(
    browser: object, tmp_path: object
) -> None:
    broken = tmp_path / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('no torch on this server')\n")
    server = Server({"PYTHONPATH": str(tmp_path)})
    try:
        server.wait_until_healthy()
        page = browser.new_page()
        page.goto(f"{server.url}/tensors?lang=zh&tensors_same-device-error_predicted=skipped")
        settle(page)

        expect(page.get_by_role("heading", level=1)).to_have_text(
            catalog.lesson("tensors").title.zh
        )
        expect(page.locator(".st-key-lang")).to_be_visible()
        missing = table()["failures.compute_unavailable"].zh
        expect(page.get_by_text(missing).first).to_be_visible()
        assert "Traceback" not in page.content()
        assert str(tmp_path) not in page.content()
        page.close()
    finally:
        server.stop()
