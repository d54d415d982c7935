"""Times of paint in a browser, and its requests to other hosts."""

import shutil
import time
from dataclasses import dataclass, field
from urllib.parse import urlparse

from playwright.sync_api import Browser, ConsoleMessage, Request, sync_playwright

from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.plan import Plan
from benchmarks.sample import Sample
from benchmarks.server import HOST, Apps
from playground import catalog

NONE = Budget(statistic=Statistic.MAX, limit=0.0)
BUDGETS = {("builder", "heading_ms"): Budget(statistic=Statistic.RATIO, limit=1.5)}
TIMEOUT_MS = 30_000
LINGER_MS = 500  # for late requests and errors
HEADING = "[data-testid=stMain] h1"
IDLE = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
HOW = (
    "Headless Chromium with an empty cache, from the navigation until the page's heading is"
    " visible, and until the script has ended; the warm server has served both pages before."
)
BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell")


@dataclass(slots=True)
class Painting:
    """One page load in a fresh browser profile."""

    heading_ms: float = 0.0
    idle_ms: float = 0.0
    kilobytes: float = 0.0
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def find_chromium() -> str | None:
    """The browser, where there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def measure(plan: Plan, apps: Apps) -> Section:
    """Open the home page, the first lesson, the builder and the empty page in turn."""
    chromium = find_chromium()
    if chromium is None:
        return Section(title="Paint", how=HOW, figures=(), remarks=("There is no Chromium here.",))
    seen: dict[str, list[Painting]] = {"home": [], "first lesson": [], "builder": [], "empty": []}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        home = f"http://{HOST}:{apps.playground.port}/"
        addresses = {
            "home": home,
            "first lesson": home + catalog.lessons()[0].name,
            "builder": home + "builder",
            "empty": f"http://{HOST}:{apps.empty.port}/",
        }
        paint(browser, addresses["empty"])
        for _ in range(max(1, plan.rounds // 3)):
            for name, address in addresses.items():
                seen[name].append(paint(browser, address))
    return _section(seen)


def _section(seen: dict[str, list[Painting]]) -> Section:
    figures = []
    blank = seen.pop("empty")
    for name, paintings in seen.items():
        short = name.replace(" ", "-")
        figures += [
            Measurement(
                id=f"paint.{short}.{part}",
                what=f"{name}: {words}",
                unit=unit,
                sample=Sample.of(getattr(each, part) for each in paintings),
                empty=Sample.of(getattr(each, part) for each in blank),
                budget=BUDGETS.get((name, part)),
            )
            for part, words, unit in (
                ("heading_ms", "heading visible", "ms"),
                ("idle_ms", "script ended", "ms"),
                ("kilobytes", "loaded over HTTP", "kB"),
            )
        ]
        figures += [
            Measurement(
                id=f"paint.{short}.{part}",
                what=f"{name}: {words}",
                unit="",
                sample=Sample.of(float(len(getattr(each, part))) for each in paintings),
                budget=NONE,
            )
            for part, words in (("foreign", "foreign requests"), ("errors", "console errors"))
        ]
    errors = {each for many in seen.values() for one in many for each in one.foreign + one.errors}
    return Section(title="Paint", how=HOW, figures=tuple(figures), remarks=tuple(sorted(errors)))


def paint(browser: Browser, address: str) -> Painting:
    """Load an address in a fresh profile."""
    painting = Painting()
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()

        def on_request(request: Request) -> None:
            if (urlparse(request.url).hostname or HOST) != HOST:
                painting.foreign.append(request.url[:120])

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error":
                painting.errors.append(message.text[:120])

        def on_loaded(event: dict[str, float]) -> None:
            painting.kilobytes += event["encodedDataLength"] / 1e3

        page.on("request", on_request)
        page.on("console", on_console)
        page.on("pageerror", lambda error: painting.errors.append(str(error)[:120]))
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.loadingFinished", on_loaded)
        asked = time.perf_counter()
        page.goto(address, wait_until="commit")
        page.locator(HEADING).first.wait_for(timeout=TIMEOUT_MS)
        painting.heading_ms = (time.perf_counter() - asked) * 1e3
        page.locator(IDLE).wait_for(timeout=TIMEOUT_MS)
        painting.idle_ms = (time.perf_counter() - asked) * 1e3
        page.wait_for_timeout(LINGER_MS)
    return painting
