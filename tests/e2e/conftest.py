"""A real server and a real browser; every page is watched for console errors and foreign hosts."""

import os
import shutil

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from playground.catalog import Language
from tests.e2e.server import Server, wait_until_healthy
from tests.e2e.visitor import RUNS, TIMEOUT_MS, Visitor
from ui.language import table

CANDIDATES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt --no-maglev",  # no script runs long enough to be worth optimizing
]
PATIENT = {"PLAYGROUND_LAB_TRAINING_SECONDS": "120"}  # the clock ends no run that a test watches
expect.set_options(timeout=TIMEOUT_MS)


@pytest.fixture(scope="session")
def server():
    """The address of the playground as it comes, open to everybody."""
    started = Server(PATIENT)
    try:
        wait_until_healthy(started.url)
        yield started.url
    finally:
        started.stop()


@pytest.fixture(scope="session")
def browser():
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CANDIDATES)), None)
    assert path, "no Chromium here: `make browser` installs it"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def visitors():
    """Those of this browser, by their languages; it ends them."""
    return {}


@pytest.fixture
def arrive(browser, visitors):
    """The empty tab of a visitor of its own; afterwards nothing may have gone wrong in it."""
    came: list[Visitor] = []

    def sit_down(
        *, width: int = 1280, locale: str = "en-US", scheme: str = "light", by_design: str = ""
    ) -> Page:
        known = visitors.setdefault(locale, [])
        if not (free := [each for each in known if not each.is_here]):
            free = [Visitor(browser, locale)]
            known += free
        came.append(free[0])
        return free[0].come(width=width, scheme=scheme, by_design=by_design)

    yield sit_down
    noted = [visitor.leave() for visitor in came]
    assert noted == [([], [])] * len(came)


@pytest.fixture
def visit(arrive, server):
    """Open a path of the server as a visitor of its own."""

    def open_page(path: str, **more: object) -> Page:
        page = arrive(**more)
        page.goto(server + path)
        wait_until_drawn(page)
        return page

    return open_page


def wait_until_drawn(page: Page) -> None:
    """Wait until the script has answered all that the page asked, and until that is drawn."""
    RUNS[page].wait()


def sideways(page: Page) -> int:
    """Return by how many pixels the page can be scrolled sideways."""
    return page.evaluate(
        "[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".reduce((most, each) => Math.max(most, each.scrollWidth - each.clientWidth), 0)"
    )


def show_in(page: Page, scheme: str) -> None:
    """Change the browser between light and dark, and wait until Streamlit has followed."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => !(app => app && getComputedStyle(app).colorScheme !== scheme)"
        "(document.querySelector('[data-testid=stApp]'))",
        arg=scheme,
    )


def words(key: str, language: str = "en") -> str:
    """A text of the interface."""
    return table()[key].said(Language(language))
