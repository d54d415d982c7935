import asyncio
import html
import itertools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hosting import limits
from hosting.limits import MAX_QUERY_CHARACTERS, SessionLimits
from hosting.logs_and_metrics import Rejected
from hosting.requests import VISITOR_KEY, Visitor
from hosting.settings import Settings
from hosting.upload_limits import UploadLimits
from playground.errors import TooManyExperimentsError
from playground.machines import Machine
from playground.sandbox.quotas import Quotas
from tests.hosting.asgi import (
    ASKS_FOR_A_PAGE,
    CONNECT,
    DISCONNECT,
    Answer,
    Inside,
    Message,
    ask,
    call,
    counted,
    metric,
    scope_of,
    socket_scope,
    websocket,
)
from tests.hosting.browser import SOON, request
from ui.lab import submit

pytestmark = pytest.mark.anyio
MEBIBYTE = 2**20
PUT = "/_stcore/upload_file/{}/f"
ADA, BOB = ({VISITOR_KEY: Visitor(id=name)} for name in ("ada", "bob"))
ASKED = "/tensors?step=moving&x=%22%3E&lang={}"


def upload(
    app: UploadLimits, size: int | str | None = 10, session: str = "s", method: str = "PUT"
) -> Answer:
    headers = {} if size is None else {"content-length": str(size)}
    return ask(app, method, PUT.format(session), headers=headers)


def upload_limits(
    kept: Callable[[], dict[str, int]] = dict, app: Any = None, **settings: int
) -> UploadLimits:
    return UploadLimits(app or Inside(), Settings(**settings), kept_bytes=kept, clock=lambda: 0.0)  # type: ignore[arg-type]


def test_uploads_of_a_session_are_counted_by_the_minute():
    app = upload_limits(uploads_per_minute=2)
    assert [upload(app).status for _ in range(3)] == [200, 200, 429]
    assert upload(app, session="other").status == 200
    refused = upload(app)
    assert refused.headers["retry-after"] == "30"
    assert "30 s" in refused.text


@pytest.mark.parametrize("size", [None, "", "-1", "1e3", "٣", "9" * 40])
def test_an_upload_without_a_length_is_refused(size):
    with counted(Rejected.UPLOAD):
        assert upload(upload_limits(), size).status == 411


def test_only_an_upload_is_refused_and_by_its_length_before_it_is_read():
    inside = Inside()
    app = upload_limits(app=inside, uploads_per_minute=1)
    assert upload(app, 10**12).status == 413
    assert inside.scopes == []
    assert upload(app, None, method="DELETE").status == 200
    assert ask(app, "GET", "/").status == 200


def test_what_a_session_keeps_and_what_all_keep_is_bounded():
    kept = {"s": 4 * MEBIBYTE, "gone": 4 * MEBIBYTE}
    own = upload_limits(lambda: kept, upload_megabytes=5)
    everybody = upload_limits(lambda: kept, upload_megabytes_in_all=9)

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

    app = upload_limits(app=slow, uploads_at_once=3, upload_megabytes_in_all=10)
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


def test_experiments_are_counted_only_on_a_server(monkeypatch):
    monkeypatch.setattr(limits, "_experiments", [])
    for _ in range(10):
        limits.admit_experiment("a")

    settings = Settings(experiments_per_minute=2, experiments_per_minute_in_all=3)
    limits.limit_experiments(settings)
    for _ in range(2):
        limits.admit_experiment("a")
    with counted(Rejected.EXPERIMENT), pytest.raises(TooManyExperimentsError) as refused:
        limits.admit_experiment("a")
    assert 1 <= refused.value.values["seconds"] <= 30  # type: ignore[operator]
    limits.admit_experiment("b")
    with pytest.raises(TooManyExperimentsError):
        limits.admit_experiment("c")


def test_lab_runs_take_the_operators_numbers_are_timed_and_their_refusals_counted(monkeypatch):
    quotas = Quotas(clock=lambda: 0.0)
    quotas.allow(per_session=1, together=2)
    monkeypatch.setattr(submit, "QUOTAS", quotas)

    def run(session: str) -> None:
        lab: Any = SimpleNamespace(running=None, latest=None, session=session, text="")
        submit._submit(lab, Machine(), lambda *_: None)  # type: ignore[arg-type, return-value]
        assert lab.running.wait(SOON)

    def timed() -> list[float]:
        outcomes = ("done", "run_too_often", "run_too_many")
        return [metric("playground_lab_seconds_count", outcome=each) for each in outcomes]

    before = timed()
    with counted(Rejected.LAB, 2):
        for session in "aabc":
            run(session)

    assert [now - then for now, then in zip(timed(), before, strict=True)] == [2, 1, 1]


# -- pages -----------------------------------------------------------------------------------------


async def tab(app: Any, end: asyncio.Event, address: str = "192.0.2.1", **scope: Any) -> bool:
    """Keep a websocket open until the end, and say whether it was let in."""
    sent: list[str] = []

    async def receive() -> Message:
        if not sent:
            return CONNECT
        await end.wait()
        return DISCONNECT

    async def send(message: Message) -> None:
        sent.append(message["type"])

    await app(socket_scope(client=(address, 1), **scope), receive, send)
    return sent == ["websocket.accept"]


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
        ({"most_sessions_per_visitor": 1}, [ADA, ADA, BOB, {}, {}], [1, 0, 1, 1, 1]),
    ],
)
async def test_so_many_pages_are_open_at_once(settings, tabs, expected):
    app = SessionLimits(server, Settings(**settings))  # type: ignore[arg-type]
    for _ in range(2):  # again once all have left
        end = asyncio.Event()
        opened = asyncio.gather(*(tab(app, end, **each) for each in tabs))
        await asyncio.sleep(0)
        end.set()
        assert await opened == expected


@pytest.mark.parametrize(
    ("limit", "known", "languages", "sentence"),
    [
        ("most_sessions", {}, ("en", "zh"), "The playground is full: 1 pages are open."),
        ("most_sessions", {}, ("zh", "en"), "演练场已满：已打开 1 个页面"),
        ("most_sessions_per_visitor", ADA, ("en", "zh"), "You have 1 pages open already."),
        ("most_sessions_per_address", {}, ("en", "zh"), "1 pages are open from your network"),
    ],
)
async def test_a_page_that_does_not_fit_says_which_limit_is_met_and_leads_back(
    limit, known, languages, sentence
):
    app = SessionLimits(server, Settings(**{limit: 1}))  # type: ignore[arg-type]
    asked, other = map(ASKED.format, languages)

    async def visit(target: str, accept: dict[str, str] = ASKS_FOR_A_PAGE) -> Answer:
        return await call(app, scope_of("GET", target, accept, **known))

    end = asyncio.Event()
    first = asyncio.create_task(tab(app, end, **known))
    await asyncio.sleep(0)
    with counted(Rejected.PAGE):
        full = await visit(asked)
        part = await visit("/static/x.js", {"accept": "*/*"})
    end.set()

    assert await first
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
    ("message", "code"),
    [
        ({"bytes": request("x" * MAX_QUERY_CHARACTERS)}, 0),
        ({"bytes": request("x" * (MAX_QUERY_CHARACTERS + 1))}, 1009),
        ({"text": "Streamlit takes no text"}, 1003),
    ],
    ids=["long", "too long", "text"],
)
def test_a_message_that_is_refused_ends_its_websocket_and_nothing_is_sent_after(message, code):
    received: list[str] = []
    of_a_run = {"type": "websocket.send", "bytes": b"of a run that goes on"}

    async def page(_: Any, receive: Any, send: Any) -> None:
        received.append((await receive())["type"])
        await send(of_a_run)

    with counted(Rejected.MESSAGE, 1 if code else 0):
        sent = websocket(SessionLimits(page, Settings()), {"type": "websocket.receive", **message})

    assert received == ["websocket.disconnect" if code else "websocket.receive"]
    assert sent == [{"type": "websocket.close", "code": code} if code else of_a_run]
