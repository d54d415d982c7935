"""What a student meets first, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from playground import catalog
from tests.e2e.conftest import Server, settle

Visit = Callable[..., Page]
LESSONS = [lesson.name for lesson in catalog.lessons()]
LOCALES = ("en-US", "zh-CN")
NARROW = [
    *(("/", locale) for locale in LOCALES),
    *((f"/{name}", LOCALES[place % 2]) for place, name in enumerate(LESSONS)),  # in turn
]
pytestmark = pytest.mark.e2e


def sideways(page: Page) -> int:
    """How many pixels the page can be scrolled sideways."""
    return page.evaluate(
        "[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".reduce((most, each) => Math.max(most, each.scrollWidth - each.clientWidth), 0)"
    )


def test_a_deep_link_as_the_very_first_visit_shows_the_right_lesson(browser: object) -> None:
    fresh = Server()
    try:
        fresh.wait_until_healthy()
        page = browser.new_page()
        page.goto(f"{fresh.url}/tensors?lang=zh")
        settle(page)

        expect(page.get_by_role("heading", level=1)).to_have_text(
            catalog.lesson("tensors").title.zh
        )
        expect(page.locator(".st-key-lang")).to_be_visible()
        page.close()
    finally:
        fresh.stop()


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


@pytest.mark.parametrize(("path", "locale"), NARROW)
def test_a_phone_never_scrolls_sideways(visit: Visit, path: str, locale: str) -> None:
    page = visit(f"{path}?steps=all", width=390, locale=locale)
    for skip in page.locator("[class*=_skip] button").all():
        skip.scroll_into_view_if_needed()
    while (left := page.locator("[class*=_skip] button")).count():
        left.first.click()
        settle(page)

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


def test_without_workers_the_pages_open_and_say_what_is_missing(
    browser: object, tmp_path: object
) -> None:
    broken = tmp_path / "torch"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise ImportError('no torch on this server')\n")
    server = Server({"PYTHONPATH": str(tmp_path)})
    try:
        server.wait_until_healthy()
        page = browser.new_page()
        page.goto(f"{server.url}/tensors?tensors_same-device-error_predicted=skipped")
        settle(page)

        expect(page.get_by_role("heading", level=1)).to_have_text(
            catalog.lesson("tensors").title.en
        )
        expect(page.get_by_text("cannot be run on this server").first).to_be_visible(timeout=30_000)
        assert "Traceback" not in page.content()
        assert str(tmp_path) not in page.content()
        page.close()
    finally:
        server.stop()
