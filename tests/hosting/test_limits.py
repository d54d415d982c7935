import asyncio
import html
import itertools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hosting.limits import rate_limit
from hosting.limits.sessions import MAX_QUERY_CHARACTERS, SessionLimits
from hosting.limits.uploads import UploadLimits
from hosting.metrics import Rejected
from hosting.requests import VISITOR_KEY, Visitor
from hosting.settings import Settings
from playground.errors import RunQuotaError, TooManyExperimentsError
from playground.machines import Machine
from playground.sandbox.quotas import Quotas
from tests.hosting.asgi import (
    ASKS_FOR_A_PAGE,
    CONNECT,
    DISCONNECT,
    Answer,
    Inside,
    ask,
    call,
    counted,
    metric,
    scope_of,
    socket_scope,
    websocket,
)
from tests.hosting.browser import request
from ui.lab import submit

pytestmark = pytest.mark.anyio
MEBIBYTE = 2**20
PUT = "/_stcore/upload_file/{}/f"
ASKED = "/tensors?step=moving&x=%22%3E&lang={}"
SOON = 30.0  # seconds; a limit for a test that hangs, no expectation


def upload(
    app: UploadLimits, size: int | str | None = 10, session: str = "s", method: str = "PUT"
) -> Answer:
    headers = {} if size is None else {"content-length": str(size)}
    return ask(app, method, PUT.format(session), headers=headers)


def limits(
    kept: Callable[[], dict[str, int]] = dict, app: Any = None, **settings: int
) -> UploadLimits:
    return UploadLimits(app or Inside(), Settings(**settings), kept_bytes=kept, clock=lambda: 0.0)  # type: ignore[arg-type]


def test_uploads_of_a_session_are_counted_by_the_minute():
    app = limits(uploads_per_minute=2)

    assert [upload(app).status for _ in range(3)] == [200, 200, 429]
    assert upload(app, session="other").status == 200
    refused = upload(app)
    assert refused.headers["retry-after"] == "30"
    assert "30 s" in refused.text


@pytest.mark.parametrize("size", [None, "", "-1", "1e3", "٣", "9" * 40])
def test_an_upload_without_a_length_is_refused(size):
    with counted(Rejected.UPLOAD):
        assert upload(limits(), size).status == 411


def test_only_an_upload_is_refused_and_by_its_length_before_it_is_read():
    inside = Inside()
    app = limits(app=inside, uploads_per_minute=1)

    assert upload(app, 10**12).status == 413
    assert inside.scopes == []
    assert upload(app, None, method="DELETE").status == 200
    assert upload(app, None, method="OPTIONS").status == 200
    assert ask(app, "GET", "/").status == 200


def test_what_a_session_keeps_and_what_all_keep_is_bounded():
    kept = {"s": 4 * MEBIBYTE, "gone": 4 * MEBIBYTE}
    own = limits(lambda: kept, upload_megabytes=5)
    everybody = limits(lambda: kept, upload_megabytes_in_all=9)

    assert upload(own, MEBIBYTE).status == 200
    assert upload(own, MEBIBYTE + 1).status == 413
    assert upload(own, 5 * MEBIBYTE, session="new").status == 200
    assert upload(everybody, MEBIBYTE, session="new").status == 200
    assert upload(everybody, MEBIBYTE + 1, session="new").status == 503


@pytest.mark.parametrize(
    ("sessions", "size", "late", "status"),
    [
        ("aab", MEBIBYTE, ("c", 1), 429),  # no place is left
        ("aa", 1, ("a", 1), 429),  # none for this session
        ("a", 8 * MEBIBYTE, ("b", 3 * MEBIBYTE), 503),  # no memory is left
    ],
)
async def test_files_on_their_way_take_places_and_memory_and_give_both_back(
    sessions, size, late, status
):
    has_arrived = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await has_arrived.wait()
        await Inside()(scope, receive, send)

    async def put(session: str, size: int) -> int:
        headers = {"content-length": str(size)}
        return (await call(app, scope_of("PUT", PUT.format(session), headers))).status

    app = limits(app=slow, uploads_at_once=3, upload_megabytes_in_all=10)
    first = [asyncio.create_task(put(session, size)) for session in sessions]
    await asyncio.sleep(0)

    async with asyncio.timeout(SOON):
        assert await put(*late) == status
    has_arrived.set()
    assert [await task for task in first] == [200] * len(sessions)
    assert await put(*late) == 200


def test_an_upload_that_never_ends_frees_its_place():
    async def endless(_: Any, __: Any, ___: Any) -> None:
        await asyncio.Event().wait()

    app = UploadLimits(endless, Settings(uploads_at_once=1), kept_bytes=dict, timeout_seconds=0.01)

    assert [upload(app).status for _ in range(3)] == [408, 408, 408]


def test_experiments_are_counted_only_on_a_server():
    for _ in range(10):
        rate_limit.admit_experiment("a")

    rate_limit.limit_experiments(
        Settings(experiments_per_minute=2, experiments_per_minute_in_all=3)
    )
    try:
        for _ in range(2):
            rate_limit.admit_experiment("a")
        with counted(Rejected.EXPERIMENT), pytest.raises(TooManyExperimentsError) as refused:
            rate_limit.admit_experiment("a")
        rate_limit.admit_experiment("b")
        with pytest.raises(TooManyExperimentsError):
            rate_limit.admit_experiment("c")
    finally:
        rate_limit.unlimit_experiments()

    assert 1 <= refused.value.values["seconds"] <= 30  # type: ignore[operator]


def test_lab_runs_take_the_operators_numbers():
    quotas = Quotas(clock=lambda: 0.0)
    quotas.allow(per_session=1, together=2)

    def run(session: str) -> str:
        try:
            with quotas.turn(session):
                return ""
        except RunQuotaError as refused:
            return refused.key

    assert [run("a"), run("a"), run("b"), run("c")] == ["", "run_too_often", "", "run_too_many"]


def test_runs_in_the_lab_are_timed_and_their_refusals_counted(monkeypatch):
    class Full:
        def turn(self, _: str) -> Any:
            raise RunQuotaError("run_too_often", seconds=1, most=1)

    def run() -> None:
        lab: Any = SimpleNamespace(running=None, latest=None, session="s", text="")
        submit._submit(lab, Machine(), lambda *_: None)  # type: ignore[arg-type, return-value]
        assert lab.running.wait(SOON)

    def timed() -> list[float]:
        outcomes = ("done", "run_too_often")
        return [metric("playground_lab_seconds_count", outcome=each) for each in outcomes]

    before = timed()
    with counted(Rejected.LAB):
        run()
        monkeypatch.setattr(submit, "QUOTAS", Full())
        run()

    assert timed() == [count + 1 for count in before]


# -- pages -----------------------------------------------------------------------------------------


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
    await Inside()(scope, receive, send)
    while scope["type"] == "websocket" and (await receive())["type"] != "websocket.disconnect":
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
async def test_so_many_pages_are_open_at_once(settings, tabs, expected):
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
    limit, visitor, languages, sentence
):
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


def test_clicks_that_come_too_fast_wait_and_none_is_lost(monkeypatch):
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
def test_an_address_that_is_too_long_ends_its_websocket(length, is_kept):
    received: list[str] = []

    async def page(_: Any, receive: Any, __: Any) -> None:
        while not received or received[-1] != "websocket.disconnect":
            received.append((await receive())["type"])

    message = {"type": "websocket.receive", "bytes": request("x" * length)}
    with counted(Rejected.MESSAGE, 0 if is_kept else 1):
        sent = websocket(SessionLimits(page, Settings()), message, DISCONNECT)

    assert ("websocket.receive" in received) is is_kept
    assert sent == ([] if is_kept else [{"type": "websocket.close", "code": 1009}])


def test_nothing_is_sent_to_a_page_that_was_closed():
    async def page(_: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        assert (await receive())["type"] == "websocket.disconnect"
        await send({"type": "websocket.send", "bytes": b"of a run that goes on"})
        await send({"type": "websocket.close"})

    text = {"type": "websocket.receive", "text": "Streamlit takes no text"}
    sent = websocket(SessionLimits(page, Settings()), text)

    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
