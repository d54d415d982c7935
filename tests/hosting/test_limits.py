import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from hosting.limits import rate_limit
from hosting.limits.sessions import SessionLimits
from hosting.limits.uploads import UploadLimits
from hosting.settings import Settings
from hosting.visitor import KEY, Visitor
from playground.errors import RunQuotaError, TooManyExperimentsError
from playground.sandbox.quotas import Quotas
from tests.hosting.asgi import ASKS_FOR_A_PAGE, Inside, ask, call, scope_of

MEBIBYTE = 2**20
PUT = "/_stcore/upload_file/{}/{}"


class Tab:
    """A websocket that stays open until it is reported to close."""

    def __init__(self, app: Any, address: str = "192.0.2.1", visitor: str = "") -> None:
        self.sent: list[str] = []
        self._end = asyncio.Event()
        scope = {
            "type": "websocket",
            "path": "/_stcore/stream",
            "headers": [],
            "client": (address, 1),
        }
        if visitor:
            scope[KEY] = Visitor(id=visitor)
        self._task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if not self.sent:
            return {"type": "websocket.connect"}
        await self._end.wait()
        return {"type": "websocket.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message["type"])

    async def is_in(self) -> bool:
        await asyncio.sleep(0)
        return self.sent == ["websocket.accept"]

    async def close(self) -> None:
        self._end.set()
        await self._task


async def tab_server(_: Any, receive: Any, send: Any) -> None:
    """Accepts a websocket and keeps it as long as its client does."""
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def let_in(app: Any, tabs: list[dict[str, str]]) -> list[bool]:
    opened = [Tab(app, **tab) for tab in tabs]
    found = [await tab.is_in() for tab in opened]
    for tab in opened:
        await tab.close()
    return found


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
def test_so_many_pages_are_open_at_once(
    settings: dict[str, int], tabs: list[dict[str, str]], expected: list[int]
) -> None:
    app = SessionLimits(tab_server, Settings(**settings))  # type: ignore[arg-type]

    assert asyncio.run(let_in(app, tabs)) == [bool(each) for each in expected]
    assert asyncio.run(let_in(app, tabs)) == [bool(each) for each in expected]  # all left


def test_a_full_playground_says_so_on_a_page_and_takes_the_next_one_when_a_visitor_leaves() -> None:
    inside = Inside()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        await (tab_server if scope["type"] == "websocket" else inside)(scope, receive, send)

    app = SessionLimits(both, Settings(most_sessions=1))

    async def visit() -> list[Any]:
        page = scope_of("GET", "/?lang=zh", ASKS_FOR_A_PAGE)
        part = scope_of("GET", "/static/x.js", {"accept": "*/*"})
        tab = Tab(app)
        assert await tab.is_in()
        answers = [await call(app, page), await call(app, part)]
        await tab.close()
        return [*answers, await call(app, page)]

    full, part, later = asyncio.run(visit())

    assert full.status == 503
    assert full.headers["retry-after"]
    assert "演练场已满" in full.text
    assert (part.status, later.status) == (200, 200)


def test_clicks_that_come_too_fast_wait_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(asyncio, "sleep", sleep)
    clicks = 200
    arrived: list[float] = []
    waiting = itertools.chain(
        ({"type": "websocket.receive", "bytes": b"x"} for _ in range(clicks)),
        itertools.repeat({"type": "websocket.disconnect"}),
    )

    async def receive() -> Any:
        return next(waiting)

    async def listen(_: Any, receive: Any, __: Any) -> None:
        while (await receive())["type"] == "websocket.receive":
            arrived.append(now[0])

    app = SessionLimits(listen, Settings(reruns_per_second=10), clock=lambda: now[0])
    asyncio.run(app({"type": "websocket", "path": "/", "headers": []}, receive, receive))

    assert len(arrived) == clicks
    assert arrived[29] == 0.0  # three seconds' worth come at once
    assert arrived[-1] == pytest.approx((clicks - 30) / 10, abs=0.5)


def upload(
    app: UploadLimits, size: int | str | None = 10, session: str = "s", method: str = "PUT"
) -> Any:
    headers = {} if size is None else {"content-length": str(size)}
    return ask(app, method, PUT.format(session, "f"), headers=headers)


def limits(
    kept: Callable[[], dict[str, int]] = dict, app: Any = None, **settings: int
) -> UploadLimits:
    return UploadLimits(app or Inside(), Settings(**settings), kept_bytes=kept, clock=lambda: 0.0)  # type: ignore[arg-type]


def test_uploads_of_a_session_are_counted_by_the_minute() -> None:
    app = limits(uploads_per_minute=2)

    assert [upload(app).status for _ in range(3)] == [200, 200, 429]
    assert upload(app, session="other").status == 200
    refused = upload(app)
    assert refused.headers["retry-after"] == "30"
    assert "30 s" in refused.text


@pytest.mark.parametrize("size", [None, "", "-1", "1e3", "٣", "9" * 40])
def test_an_upload_without_a_length_is_refused(size: str | None) -> None:
    assert upload(limits(), size).status == 411


def test_an_upload_is_refused_by_its_length_before_it_is_read() -> None:
    inside = Inside()

    refused = upload(limits(app=inside), 10**12)

    assert refused.status == 413
    assert inside.scopes == []


def test_what_a_session_keeps_and_what_all_keep_is_bounded() -> None:
    kept = {"s": 4 * MEBIBYTE, "gone": 4 * MEBIBYTE}
    own = limits(lambda: kept, upload_megabytes=5)
    everybody = limits(lambda: kept, upload_megabytes_in_all=9)

    assert upload(own, MEBIBYTE).status == 200
    assert upload(own, MEBIBYTE + 1).status == 413
    assert upload(own, 5 * MEBIBYTE, session="new").status == 200
    assert upload(everybody, MEBIBYTE, session="new").status == 200
    assert upload(everybody, MEBIBYTE + 1, session="new").status == 503


def test_files_on_their_way_take_places_and_memory_and_give_both_back() -> None:
    arrived = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await arrived.wait()
        await Inside()(scope, receive, send)

    def put(session: str, size: int) -> Any:
        return scope_of("PUT", PUT.format(session, "f"), {"content-length": str(size)})

    app = limits(app=slow, uploads_at_once=3, upload_megabytes_in_all=10)

    async def traffic() -> list[int]:
        first = [asyncio.create_task(call(app, put(name, MEBIBYTE))) for name in "aab"]
        await asyncio.sleep(0)
        late = await call(app, put("c", 1))
        arrived.set()
        statuses = [(await task).status for task in first]
        return [*statuses, late.status, (await call(app, put("c", 1))).status]

    async def one_session() -> list[int]:
        arrived.clear()
        first = [asyncio.create_task(call(app, put("a", 1))) for _ in range(2)]
        await asyncio.sleep(0)
        late = await call(app, put("a", 1))
        arrived.set()
        return [*[(await task).status for task in first], late.status]

    async def memory() -> list[int]:
        arrived.clear()
        first = asyncio.create_task(call(app, put("a", 8 * MEBIBYTE)))
        await asyncio.sleep(0)
        late = await call(app, put("b", 3 * MEBIBYTE))
        arrived.set()
        return [(await first).status, late.status]

    async def one_after_the_other() -> list[list[int]]:
        return [await traffic(), await one_session(), await memory()]

    found = asyncio.run(one_after_the_other())
    assert found == [[200, 200, 200, 429, 200], [200, 200, 429], [200, 503]]


def test_an_upload_that_never_ends_frees_its_place() -> None:
    async def endless(_: Any, __: Any, ___: Any) -> None:
        await asyncio.Event().wait()

    app = UploadLimits(endless, Settings(uploads_at_once=1), kept_bytes=dict, timeout_seconds=0.01)

    assert [upload(app).status for _ in range(3)] == [408, 408, 408]


def test_other_requests_pass_untouched() -> None:
    app = limits(uploads_per_minute=1)

    assert upload(app, None, method="DELETE").status == 200
    assert upload(app, None, method="OPTIONS").status == 200
    assert ask(app, "GET", "/").status == 200


def test_experiments_are_counted_only_on_a_server() -> None:
    for _ in range(10):
        rate_limit.admit_experiment("a")

    rate_limit.limit_experiments(
        Settings(experiments_per_minute=2, experiments_per_minute_in_all=3)
    )
    try:
        for _ in range(2):
            rate_limit.admit_experiment("a")
        with pytest.raises(TooManyExperimentsError) as refused:
            rate_limit.admit_experiment("a")
        rate_limit.admit_experiment("b")
        with pytest.raises(TooManyExperimentsError):
            rate_limit.admit_experiment("c")
    finally:
        rate_limit.unlimit_experiments()

    assert 1 <= refused.value.values["seconds"] <= 30  # type: ignore[operator]


def test_lab_runs_take_the_operators_numbers() -> None:
    quotas = Quotas(clock=lambda: 0.0)
    quotas.allow(per_session=1, together=2)

    def run(session: str) -> str:
        try:
            with quotas.turn(session):
                return ""
        except RunQuotaError as refused:
            return refused.key

    assert [run("a"), run("a"), run("b"), run("c")] == ["", "run_too_often", "", "run_too_many"]
