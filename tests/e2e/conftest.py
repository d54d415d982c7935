"""A real server and a real browser; every page is watched for console errors and foreign hosts."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CANDIDATES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",  # no test looks at a movement, and drawing one takes long
]
SETTLED = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
# A deep link first asks for its server below its own path: two 404s by Streamlit's design.
BY_DESIGN = re.compile(r"/_stcore/(health|host-config)$")

PATIENCE = 60_000  # milliseconds: other tests may keep the machine busy
expect.set_options(timeout=PATIENCE)


class Server:
    """The playground as a visitor's host runs it, on a port of this machine."""

    def __init__(self, environment: dict[str, str] | None = None, port: int = 0) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={self.port}"],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait_until_healthy(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except OSError:  # refused, reset, or not answered in time
                time.sleep(0.1)
        raise TimeoutError("the server did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    running = Server()
    try:
        running.wait_until_healthy()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CANDIDATES)), None)
    assert path, "no Chromium here: `make browser` installs it"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


class Watch:
    """What a page must not do: say errors on the console, or ask another host."""

    def __init__(self, context: BrowserContext) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        context.on("page", self._watch)

    def take(self) -> tuple[list[str], list[str]]:
        """What was noted since the last time."""
        noted = self.errors, self.foreign
        self.errors, self.foreign = [], []
        return noted

    def _watch(self, page: Page) -> None:
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note_request)

    def _note_console(self, message: object) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not BY_DESIGN.search(where):
            self.errors.append(f"{message.text} ({where})")

    def _note_request(self, request: object) -> None:
        address = urlsplit(request.url)
        if address.scheme not in {"data", "blob"} and address.hostname != "127.0.0.1":
            self.foreign.append(request.url)


class Visitor:
    """A browser context of a worker: one visitor after the other, each as if for the first time.

    What a new context costs is Streamlit's scripts, fetched and compiled again; they are kept.
    """

    def __init__(self, browser: Browser, **options: object) -> None:
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.watch = Watch(self.context)
        self.is_here = False

    def leave(self, origin: str) -> None:
        """Close the pages and forget cookies and whatever else pages may store."""
        page = self.context.pages[0] if self.context.pages else self.context.new_page()
        everything = {"origin": origin, "storageTypes": "all"}
        self.context.new_cdp_session(page).send("Storage.clearDataForOrigin", everything)
        for each in self.context.pages:
            each.close()
        self.context.clear_cookies()
        self.is_here = False


@pytest.fixture(scope="session")
def visitors() -> dict[str, list[Visitor]]:
    """Those of this worker, by their options; the browser ends them."""
    return {}


@pytest.fixture
def visit(
    browser: Browser, server: Server, visitors: dict[str, list[Visitor]]
) -> Iterator[Callable[..., Page]]:
    """Open a path as a visitor of its own; afterwards nothing may have gone wrong."""
    came: list[Visitor] = []

    def open_page(path: str, *, width: int = 1280, locale: str = "en-US", **more: object) -> Page:
        options = {"locale": locale, "viewport": {"width": width, "height": 900}, **more}
        known = visitors.setdefault(repr(options), [])
        if not (free := [each for each in known if not each.is_here]):
            free = [Visitor(browser, **options)]
            known += free
        visitor = free[0]
        visitor.is_here = True
        came.append(visitor)
        page = visitor.context.new_page()
        page.goto(server.url + path)
        settle(page)
        return page

    yield open_page
    for visitor in came:
        visitor.leave(server.url)
    said = [visitor.watch.take() for visitor in came]
    assert said == [([], [])] * len(came)


def settle(page: Page) -> None:
    """Wait until the page is connected and its script has come to rest."""
    page.wait_for_timeout(250)
    page.wait_for_selector(SETTLED)
    page.wait_for_timeout(150)


def sideways(page: Page) -> int:
    """How many pixels the page can be scrolled sideways."""
    return page.evaluate(
        "[document.documentElement, document.querySelector('[data-testid=stMain]')]"
        ".reduce((most, each) => Math.max(most, each.scrollWidth - each.clientWidth), 0)"
    )
