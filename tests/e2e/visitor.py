"""Who visits: one tab of the browser, watched for errors and for requests to foreign hosts."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Dialog, Page

PATIENCE = 120_000  # milliseconds: other tests may keep the machine busy
# A deep link first asks for its server below its own path: two 404s by Streamlit's design.
BY_DESIGN = r"/_stcore/(health|host-config)\)$"
# No test looks at a movement, and to draw those of a page that waits takes half a core.
STILL = """
const still = new CSSStyleSheet();
still.replaceSync(`*, ::before, ::after {
  animation: none !important;
  transition: none !important;
}`);
document.adoptedStyleSheets.push(still);
"""


class Watch:
    """What a page must not do: say errors on the console, ask another host, or stop the student."""

    def __init__(self, context: BrowserContext) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        context.on("page", self._watch)

    def take(self, by_design: str = "") -> tuple[list[str], list[str]]:
        """What was noted since the last time, but for errors that belong to the test."""
        forgiven = re.compile("|".join(filter(None, (BY_DESIGN, by_design))))
        noted = [error for error in self.errors if not forgiven.search(error)], self.foreign
        self.errors, self.foreign = [], []
        return noted

    def _watch(self, page: Page) -> None:
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note_request)
        page.on("dialog", self._note_dialog)
        page.on("crash", lambda _: self.errors.append("the tab crashed"))

    def _note_console(self, message: object) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _note_request(self, request: object) -> None:
        address = urlsplit(request.url)
        if address.scheme not in {"data", "blob"} and address.hostname != "127.0.0.1":
            self.foreign.append(request.url)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.errors.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


class Visitor:
    """A tab of a worker: one visitor after the other, each as if for the first time.

    In a new tab Chromium compiles Streamlit's scripts again, which costs more than most tests do.
    Cookies and all that pages store are forgotten, and whoever loads a page gets a new session.
    """

    def __init__(self, browser: Browser, locale: str) -> None:
        self._context = browser.new_context(locale=locale)
        self._context.set_default_timeout(PATIENCE)
        self._context.add_init_script(STILL)
        self._watch = Watch(self._context)
        self._by_design = ""
        self.is_here = False

    def come(self, *, width: int, scheme: str, by_design: str) -> Page:
        """Sit down before an empty tab."""
        self.is_here, self._by_design = True, by_design
        page = self._context.pages[0] if self._context.pages else self._context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        return page

    def leave(self) -> tuple[list[str], list[str]]:
        """Forget everything.

        Returns:
            The errors and the foreign hosts of the visit.
        """
        for page in self._context.pages:
            self._forget(page)
        self._context.clear_cookies()
        noted = self._watch.take(self._by_design)
        kept = 0 if any(noted) else 1  # a tab in which something went wrong is not used again
        for page in self._context.pages[kept:]:
            page.close()
        self.is_here = False
        return noted

    def _forget(self, page: Page) -> None:
        if "crashed" in " ".join(self._watch.errors):
            return
        page.unroute_all(behavior="ignoreErrors")
        address = urlsplit(page.url)
        if address.scheme == "http":
            page.evaluate("sessionStorage.clear()")
            page.goto("about:blank")
            origin = f"{address.scheme}://{address.netloc}"
            everything = {"origin": origin, "storageTypes": "all"}
            tools = self._context.new_cdp_session(page)
            tools.send("Storage.clearDataForOrigin", everything)
            tools.detach()
        page.mouse.move(0, 0)
