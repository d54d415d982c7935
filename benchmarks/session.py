"""A browser tab, as the server sees it: speaks Streamlit's websocket protocol, draws nothing.

Like the real front end it reports every widget's value, caches large messages by hash,
and carries the query string that the app wrote.
"""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks import panel
from benchmarks.panel import Data
from benchmarks.run import Message, Run
from benchmarks.server import HOST
from benchmarks.widget import KINDS, PRESSED, Value, Widget, state_of

PLACES = {0: "main", 1: "sidebar"}
RUN_SECONDS = 60.0
CACHED_RUNS = 20  # global.maxCachedMessageAge in .streamlit/config.toml


OPTIONS = {
    "subprotocols": ["streamlit"],
    "compression": None,
    "max_size": None,
    "ping_interval": None,
    "open_timeout": RUN_SECONDS,
    "close_timeout": 2,
    "proxy": None,
}
NO_HEADERS: Mapping[str, str] = {}


class Session:
    """One tab. ``pages`` maps addresses ("" is the home page) to Streamlit's page hashes.

    Args:
        port: Of the server, on this host.
        headers: What the browser sends along, e.g. its cookies.

    Attributes:
        run_seconds: A run that takes longer is an error.
    """

    run_seconds = RUN_SECONDS

    def __init__(self, port: int, headers: Mapping[str, str] = NO_HEADERS) -> None:
        self.port = port
        self.url = f"ws://{HOST}:{port}/_stcore/stream"
        self.pages: dict[str, str] = {}
        self.options: dict[str, Any] = {"additional_headers": headers}  # of the connection
        self.widgets: dict[str, Widget] = {}
        self.values: dict[str, Value] = {}
        self._page = ""
        self._query = ""
        self._cached_messages: dict[
            str, tuple[int, ForwardMsg]
        ] = {}  # by hash: the last run that used it
        self._runs = 0
        self._new_widgets: dict[str, Widget] = {}
        self._is_full = True  # the run draws the whole page

    async def __aenter__(self) -> Self:
        """Connect."""
        self._socket: ClientConnection = await connect(self.url, **{**OPTIONS, **self.options})
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the tab."""
        await self._socket.close()

    async def visit(self, address: str = "", query: str = "") -> Run:
        """Open an address in the new tab, with what follows its question mark."""
        self._query = query
        run = await self._run(self._request(page="", name=address))
        return await self._restore(run)

    async def switch(self, address: str, query: str = "") -> Run:
        """Click a page in the sidebar, or a link to it, with what follows its question mark."""
        self._query = query
        run = await self._run(self._request(page=self.pages[address]))
        return await self._restore(run)

    async def rerun(self) -> Run:
        """Run the page again, nothing changed."""
        return await self._run(self._request(page=self._page))

    async def give(self, widget: Widget, value: Value) -> Run:
        """Give a widget a value, or press it."""
        if widget.kind not in PRESSED:
            self.values[widget.id] = value
        request = self._request(page=self._page, fragment=widget.fragment)
        if widget.kind in PRESSED:
            request.rerun_script.widget_states.widgets.append(state_of(widget.id, value))
        return await self._run(request)

    @property
    def panel(self) -> Widget | None:
        """The program panel, where the page has one."""
        return next((each for each in self.widgets.values() if each.kind == panel.KIND), None)

    def shown(self) -> Data:
        """The data that the panel draws; empty without a panel."""
        return panel.data(self.panel.element) if self.panel else {}

    async def send_event(self, **event: Any) -> Run:
        """Send an event of the panel."""
        assert self.panel is not None
        event = panel.sent(self.shown(), **event)
        return await self.give(self.panel, (panel.FIELD, event))

    async def _restore(self, run: Run) -> Run:
        """Tell a panel that has just appeared what this browser stores: nothing."""
        if self.panel is not None and "store" not in self.shown():
            run.errors += (await self.send_event(type="restore", stored=None)).errors
        return run

    def _request(self, *, page: str, name: str = "", fragment: str = "") -> BackMsg:
        request = BackMsg()
        asked = request.rerun_script
        asked.page_script_hash, asked.page_name, asked.fragment_id = page, name, fragment
        asked.query_string = self._query
        asked.cached_message_hashes.extend(self._cached_messages)
        asked.context_info.timezone, asked.context_info.locale = "UTC", "en-US"
        asked.context_info.url = f"http://{HOST}:{self.port}/{name}"
        asked.context_info.color_scheme = "light"
        is_other_page = bool(page) and page != self._page
        for widget_id, value in self.values.items():
            if not is_other_page or self.widgets[widget_id].place == "sidebar":
                asked.widget_states.widgets.append(state_of(widget_id, value))
        return request

    async def _run(self, request: BackMsg) -> Run:
        await self._discard_late_messages()
        self._new_widgets = {}
        run = Run(asked=time.perf_counter())
        await self._socket.send(request.SerializeToString())
        try:
            async with asyncio.timeout(self.run_seconds):
                while not run.finished:
                    self._receive(await self._socket.recv(), run)
        except TimeoutError:
            run.finished = time.perf_counter()
            run.errors.append(f"no end of the run in {self.run_seconds:g} s")
        drawn = {message.fragment for message in run.messages if message.fragment}
        self._update_widgets(None if self._is_full else drawn)
        if self.panel is not None and "query" in (shown := self.shown()):
            self._query = shown["query"].removeprefix("?")  # as the panel's script does
        return run

    async def _discard_late_messages(self) -> None:
        """Drop what trails the run before (a change of status): it belongs to no run."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.001):
                while True:
                    self._receive(await self._socket.recv(), Run(asked=0.0))

    def on_message(self, message: ForwardMsg) -> None:
        """Called with each message, also where a hash stood for it; here it tells nothing."""

    def _receive(self, raw: str | bytes, run: Run) -> None:
        arrived = time.perf_counter()
        message = ForwardMsg()
        message.ParseFromString(raw)
        self.on_message(message)
        kind = str(message.WhichOneof("type"))
        fragment = place = ""
        match kind:
            case "delta":
                fragment = message.delta.fragment_id
                place = PLACES.get(message.metadata.delta_path[0], "")
                kind = self._receive_delta(message, place, run)
            case "ref_hash":
                if message.ref_hash in self._cached_messages:
                    meant = self._cached_messages[message.ref_hash][1]
                    self.on_message(meant)
                    fragment = meant.delta.fragment_id
                    place = PLACES.get(message.metadata.delta_path[0], "")
                    self._receive_delta(meant, place, run)
                else:
                    run.errors.append("the server counts on a message that is not kept")
            case "navigation":
                self._page = message.navigation.page_script_hash
                self.pages = {
                    "" if page.is_default else page.url_pathname: page.page_script_hash
                    for page in message.navigation.app_pages
                }
            case "new_session":
                self._page = message.new_session.page_script_hash
            case "page_info_changed":
                self._query = message.page_info_changed.query_string
            case "page_not_found":
                run.errors.append("page not found")
            case "script_finished":
                finished = message.script_finished
                self._is_full = finished != ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
                if finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self._new_widgets = {}  # another run follows at once
                else:
                    run.finished = arrived
        run.messages.append(Message(kind, len(raw), arrived, fragment, place))

    def _receive_delta(self, message: ForwardMsg, place: str, run: Run) -> str:
        """Keep what a browser keeps of an element; returns its kind."""
        if message.metadata.cacheable and message.hash:
            self._cached_messages[message.hash] = self._runs, message
        if message.delta.WhichOneof("type") != "new_element":
            return "block"
        element = message.delta.new_element
        kind = str(element.WhichOneof("type"))
        if kind == "exception" and not element.exception.is_warning:
            run.errors.append(f"exception {element.exception.type}")
        if kind == "markdown" and element.markdown.element_type == element.markdown.CAPTION:
            return "caption"
        if kind in KINDS and (kind != panel.KIND or panel.is_panel(element.bidi_component)):
            widget = Widget(kind, getattr(element, kind), message.delta.fragment_id, place)
            self._new_widgets[widget.id] = widget
        return kind

    def _update_widgets(self, fragments: set[str] | None) -> None:
        """Forget the widgets that went, read the values of those that came.

        Args:
            fragments: What was drawn again; None for the whole page.
        """
        is_full = fragments is None
        stay = {
            name: each
            for name, each in self.widgets.items()
            if fragments is not None and each.fragment not in fragments
        }
        self.widgets = stay | self._new_widgets
        self.values = {name: self.values[name] for name in self.values if name in self.widgets}
        for widget in self._new_widgets.values():
            if widget.id not in self.values or getattr(widget.element, "set_value", False):
                shown = widget.shown()
                if shown is not None:
                    self.values[widget.id] = shown
        self._runs += 1
        self._cached_messages = {
            name: (used, message)
            for name, (used, message) in self._cached_messages.items()
            if self._runs - used <= CACHED_RUNS or not (is_full or message.delta.fragment_id)
        }
