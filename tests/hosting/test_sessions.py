"""How many pages may be open, how fast they may be clicked, and what a browser may send."""

import asyncio
import html
import itertools
import re
from typing import Any

import pytest

from hosting.limits.sessions import MAX_QUERY_CHARACTERS, SessionLimits
from hosting.metrics import Rejected
from hosting.requests import VISITOR_KEY, Visitor
from hosting.settings import Settings
from tests.hosting.asgi import (
    ASKS_FOR_A_PAGE,
    CONNECT,
    DISCONNECT,
    Answer,
    Inside,
    call,
    counted,
    scope_of,
    socket_scope,
    websocket,
)
from tests.hosting.browser import request

pytestmark = pytest.mark.anyio
ASKED = "/tensors?step=moving&x=%22%3E&lang={}"


class Tab:
    """A websocket that stays open until it is told to close."""

    def __init__(self, app: Any, address: str = "192.0.2.1", visitor: str = "") -> None:
        self.sent: list[str] = []
        self._end = asyncio.Event()
        known = {VISITOR_KEY: Visitor(id=visitor)} if visitor else {}
        scope = socket_scope(client=(address, 1), **known)
        self._task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if not self.sent:
            return CONNECT
        await self._end.wait()
        return DISCONNECT

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message["type"])

    async def is_in(self) -> bool:
        await asyncio.sleep(0)
        return self.sent == ["websocket.accept"]

    async def close(self) -> None:
        self._end.set()
        await self._task


async def server(scope: Any, receive: Any, send: Any) -> None:
    """Answers requests, and keeps a websocket as long as its client does."""
    if scope["type"] == "http":
        await Inside()(scope, receive, send)
        return
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


@pytest.mark.parametrize(
    ("settings", "tabs", "expected"),
    [
        ({"most_sessions": 2}, [{"address": f"192.0.2.{n}"} for n in range(3)], [1, 1, 0]),
        ({"most_sessions_per_address": 1}, [{}, {}, {"address": "192.0.2.9"}], [1, 0, 1]),
        (
            {"most_sessions_per_visitor": 1},
            [{"visitor": "a"}, {"visitor": "a"}, {"visitor": "b"}, {}, {}],
            [1, 0, 1, 1, 1],
        ),
    ],
)
async def test_so_many_pages_are_open_at_once(
    settings: dict[str, int], tabs: list[dict[str, str]], expected: list[int]
) -> None:
    app = SessionLimits(server, Settings(**settings))  # type: ignore[arg-type]

    for _ in range(2):  # again once all have left
        opened = [Tab(app, **tab) for tab in tabs]
        assert [await tab.is_in() for tab in opened] == [bool(each) for each in expected]
        for tab in opened:
            await tab.close()


@pytest.mark.parametrize(
    ("limit", "visitor", "languages", "sentence"),
    [
        ("most_sessions", "", ("en", "zh"), "The playground is full: 1 pages are open."),
        ("most_sessions", "", ("zh", "en"), "演练场已满：已打开 1 个页面"),
        ("most_sessions_per_visitor", "ada", ("en", "zh"), "You have 1 pages open already."),
        ("most_sessions_per_address", "", ("en", "zh"), "1 pages are open from your network"),
    ],
)
async def test_a_page_that_does_not_fit_says_which_limit_is_met_and_leads_back(
    limit: str, visitor: str, languages: tuple[str, str], sentence: str
) -> None:
    app = SessionLimits(server, Settings(**{limit: 1}))  # type: ignore[arg-type]
    known = {VISITOR_KEY: Visitor(id=visitor)} if visitor else {}
    asked, other = map(ASKED.format, languages)

    async def visit(target: str, accept: dict[str, str] = ASKS_FOR_A_PAGE) -> Answer:
        return await call(app, scope_of("GET", target, accept, **known))

    tab = Tab(app, visitor=visitor)
    assert await tab.is_in()
    with counted(Rejected.PAGE):
        full = await visit(asked)
        part = await visit("/static/x.js", {"accept": "*/*"})
    await tab.close()

    assert (full.status, part.status, (await visit(asked)).status) == (503, 200, 200)
    assert full.headers["retry-after"]
    assert sentence in full.text
    links = [html.unescape(each) for each in re.findall(r' href="(/[^"]*)"', full.text)]
    assert links == [asked, other]


def test_clicks_that_come_too_fast_wait_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(asyncio, "sleep", sleep)
    clicks = 200
    arrived: list[float] = []

    async def listen(_: Any, receive: Any, __: Any) -> None:
        while (await receive())["type"] == "websocket.receive":
            arrived.append(now[0])

    app = SessionLimits(listen, Settings(reruns_per_second=10), clock=lambda: now[0])
    click = {"type": "websocket.receive", "bytes": b"x"}
    websocket(app, *itertools.repeat(click, clicks), DISCONNECT)

    assert len(arrived) == clicks
    assert arrived[29] == 0.0  # three seconds' worth come at once
    assert arrived[-1] == pytest.approx((clicks - 30) / 10, abs=0.5)


@pytest.mark.parametrize(
    ("length", "is_kept"), [(MAX_QUERY_CHARACTERS, True), (MAX_QUERY_CHARACTERS + 1, False)]
)
def test_an_address_that_is_too_long_ends_its_websocket(length: int, is_kept: bool) -> None:
    heard: list[str] = []

    async def page(_: Any, receive: Any, __: Any) -> None:
        while not heard or heard[-1] != "websocket.disconnect":
            heard.append((await receive())["type"])

    message = {"type": "websocket.receive", "bytes": request("x" * length)}
    with counted(Rejected.MESSAGE, 0 if is_kept else 1):
        sent = websocket(SessionLimits(page, Settings()), message, DISCONNECT)

    assert ("websocket.receive" in heard) is is_kept
    assert sent == ([] if is_kept else [{"type": "websocket.close", "code": 1009}])


def test_nothing_is_sent_to_a_page_that_was_closed() -> None:
    async def page(_: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        assert (await receive())["type"] == "websocket.disconnect"
        await send({"type": "websocket.send", "bytes": b"of a run that goes on"})
        await send({"type": "websocket.close"})

    text = {"type": "websocket.receive", "text": "Streamlit takes no text"}
    sent = websocket(SessionLimits(page, Settings()), text)

    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
