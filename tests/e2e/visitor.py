"""One tab of the browser, watched for errors and for requests to foreign hosts."""

import re
import time
from contextlib import suppress
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Dialog, Error, Page, Request, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TIMEOUT_MS = 120_000  # other tests may keep the machine busy
# No test looks at a movement, and to draw those of a page that waits takes half a core.
STILL = """
const still = new CSSStyleSheet();
still.replaceSync(`*, ::before, ::after {
  animation: none !important;
  transition: none !important;
}`);
document.adoptedStyleSheets.push(still);
// An expander that opens moves what is below it away from under the pointer for half a second.
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  const animation = animate.apply(this, given);
  if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish();
  return animation;
};
"""


ENDS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
SETTLED = (
    "[data-testid=stApp][data-test-connection-state=CONNECTED][data-test-script-state=notRunning]"
)
# Whatever a click, a key or a message has set off has been done, and is drawn.
IDLE = "() => new Promise(done => requestAnimationFrame(() => requestIdleCallback(done)))"


class Runs:
    """Counter of the script runs that a page asked for and got, by its websocket.

    A run of a fragment that is asked for during a run of the whole page is not awaited: Streamlit
    ignores it where the whole run no longer draws the fragment, and says nothing about it.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_awaited = True  # a run was asked for, or a page was, which will ask for one
        self._is_whole = True  # the run that is awaited is one of the whole page
        self._has_begun = False
        page.on("request", self._note_request)
        page.on("websocket", self._listen)

    def wait(self) -> None:
        """Wait until nothing is awaited, and until what came is on the screen."""
        self._rest()
        latest = time.monotonic() + TIMEOUT_MS / 1_000
        while self._is_awaited:
            assert time.monotonic() < latest, "the page is not answered"
            self._page.wait_for_timeout(40)  # messages that arrive meanwhile are recorded
        self._rest()
        self._page.wait_for_selector(SETTLED)
        self._rest()

    def _rest(self) -> None:
        with suppress(Error):  # the browser goes to another page and sends a new request
            self._page.evaluate(IDLE)

    def _await(self, fragment_id: str = "") -> None:
        if not (fragment_id and self._is_awaited and self._is_whole):
            self._is_awaited, self._is_whole, self._has_begun = True, not fragment_id, False

    def _note_request(self, request: Request) -> None:
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._await()

    def _listen(self, line: WebSocket) -> None:
        line.on("framesent", self._note_asked)
        line.on("framereceived", self._note_frame)

    def _note_asked(self, frame: str | bytes) -> None:
        asked = BackMsg()
        asked.ParseFromString(frame)
        if asked.WhichOneof("type") == "rerun_script":
            self._await(asked.rerun_script.fragment_id)

    def _note_frame(self, frame: str | bytes) -> None:
        reported = ForwardMsg()
        reported.ParseFromString(frame)
        if reported.WhichOneof("type") == "new_session":
            self._has_begun = True
        elif reported.WhichOneof("type") == "script_finished" and reported.script_finished in ENDS:
            self._is_awaited &= not self._has_begun


RUNS: dict[Page, Runs] = {}


class Watch:
    """Recorder of console errors, requests to other hosts, and dialogs, which no page may cause."""

    def __init__(self, context: BrowserContext) -> None:
        self.errors: list[str] = []
        self.foreign: list[str] = []
        context.on("page", self._watch)

    def take(self, by_design: str = "") -> tuple[list[str], list[str]]:
        """Return what was noted since the last time, except errors that belong to the test."""
        noted = (
            [error for error in self.errors if not (by_design and re.search(by_design, error))],
            self.foreign,
        )
        self.errors, self.foreign = [], []
        return noted

    def _watch(self, page: Page) -> None:
        RUNS[page] = Runs(page)
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
    """A tab of the browser: one visitor after the other, each as if for the first time.

    In a new tab Chromium compiles Streamlit's scripts again, which costs more than most tests do.
    Cookies and all that pages store are forgotten, and the next page that loads gets a new session.
    """

    def __init__(self, browser: Browser, locale: str) -> None:
        self._context = browser.new_context(locale=locale)
        self._context.set_default_timeout(TIMEOUT_MS)
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
        """Forget everything; return the errors and the foreign hosts of the visit."""
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
