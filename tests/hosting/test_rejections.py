"""Each limit says what it is, leads back, and is counted."""

import asyncio
import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from hosting.gate.class_code import ClassCodeGate
from hosting.limits import rate_limit
from hosting.limits.sessions import MAX_QUERY_CHARACTERS, SessionLimits
from hosting.limits.uploads import UploadLimits
from hosting.metrics import REGISTRY, Rejected
from hosting.settings import Gate, Settings
from hosting.visitor import KEY, Visitor
from hosting.words import say
from playground.errors import RunQuotaError, TooManyExperimentsError
from playground.machines import Machine
from tests.hosting.asgi import ASKS_FOR_A_PAGE, Answer, Inside, ask, call, scope_of
from tests.hosting.tab import request
from tests.hosting.test_limits import Tab, tab_server
from ui.lab import submit

ASKED = "/tensors?step=moving&x=%22%3E&lang=en"
GATED = Settings(gate=Gate.CODE, class_code="gradients", code_tries=1)
SOON = 30.0  # seconds; a limit for a test that hangs, no expectation


def count(kind: Rejected) -> float:
    return REGISTRY.get_sample_value("playground_refusals_total", {"kind": kind}) or 0.0


@contextmanager
def counted(kind: Rejected, times: int) -> Iterator[None]:
    before = count(kind)
    yield
    assert count(kind) - before == times


def visit_when_full(settings: Settings, visitor: str) -> Answer:
    """What a page is answered while one tab is open."""
    inside = Inside()

    async def both(scope: Any, receive: Any, send: Any) -> None:
        await (tab_server if scope["type"] == "websocket" else inside)(scope, receive, send)

    async def visit() -> Answer:
        app = SessionLimits(both, settings)
        tab = Tab(app, visitor=visitor)
        assert await tab.is_in()
        more = {KEY: Visitor(id=visitor)} if visitor else {}
        answer = await call(app, scope_of("GET", ASKED, ASKS_FOR_A_PAGE, **more))
        await tab.close()
        return answer

    return asyncio.run(visit())


@pytest.mark.parametrize(
    ("limit", "visitor", "name"),
    [
        ("most_sessions", "", "sessions"),
        ("most_sessions_per_visitor", "ada", "sessions-of-visitor"),
        ("most_sessions_per_address", "", "sessions-of-address"),
    ],
)
def test_a_page_that_does_not_fit_says_which_limit_is_met_and_leads_back(
    limit: str, visitor: str, name: str
) -> None:
    with counted(Rejected.PAGE, 1):
        answer = visit_when_full(Settings(**{limit: 1}), visitor)  # type: ignore[arg-type]

    assert answer.status == 503
    assert say(f"limits.{name}", "en", most=1) in answer.text
    again, switch = (html.unescape(each) for each in re.findall(r' href="(/[^"]*)"', answer.text))
    assert again == ASKED
    assert switch == ASKED.replace("lang=en", "lang=zh")


def test_codes_and_strangers_are_counted() -> None:
    gate = ClassCodeGate(Inside(), GATED, "s" * 32)

    with counted(Rejected.CODE, 2):
        for _ in range(2):  # a wrong one, and one too many
            ask(gate, "POST", "/door", body=b"code=wrong")
    with counted(Rejected.STRANGER, 2):
        ask(gate, "GET", "/tensors", headers=ASKS_FOR_A_PAGE)
        ask(gate, "GET", "/_stcore/metrics")


def test_uploads_and_experiments_are_counted() -> None:
    uploads = UploadLimits(Inside(), Settings(), kept_bytes=dict)
    with counted(Rejected.UPLOAD, 1):
        assert ask(uploads, "PUT", "/_stcore/upload_file/s/f").status == 411

    rate_limit.limit_experiments(Settings(experiments_per_minute=1))
    try:
        with counted(Rejected.EXPERIMENT, 1):
            rate_limit.admit_experiment("s")
            with pytest.raises(TooManyExperimentsError):
                rate_limit.admit_experiment("s")
    finally:
        rate_limit.unlimit_experiments()


def test_runs_in_the_lab_are_timed_and_their_refusals_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Full:
        def turn(self, _: str) -> Any:
            raise RunQuotaError("run_too_often", seconds=1, most=1)

    def run() -> None:
        desk: Any = SimpleNamespace(running=None, latest=None, session="s", text="")
        submit._submit(desk, Machine(), lambda _: None)  # type: ignore[arg-type, return-value]
        assert desk.running.wait(SOON)

    def timed(outcome: str) -> float:
        name = "playground_lab_seconds_count"
        return REGISTRY.get_sample_value(name, {"outcome": outcome}) or 0.0

    before = [timed("done"), timed("run_too_often")]
    with counted(Rejected.LAB, 1):
        run()
        monkeypatch.setattr(submit, "QUOTAS", Full())
        run()

    assert [timed("done") - before[0], timed("run_too_often") - before[1]] == [1, 1]


@pytest.mark.parametrize(
    ("length", "is_kept"), [(MAX_QUERY_CHARACTERS, True), (MAX_QUERY_CHARACTERS + 1, False)]
)
def test_an_address_that_is_too_long_ends_its_websocket(length: int, is_kept: bool) -> None:
    heard: list[str] = []
    sent: list[dict[str, Any]] = []
    coming = [
        {"type": "websocket.receive", "bytes": request("x" * length)},
        {"type": "websocket.disconnect"},
    ]

    async def receive() -> Any:
        return coming.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async def page(_: Any, receive: Any, __: Any) -> None:
        while not heard or heard[-1] != "websocket.disconnect":
            heard.append((await receive())["type"])

    with counted(Rejected.MESSAGE, 0 if is_kept else 1):
        scope = {"type": "websocket", "path": "/", "headers": []}
        asyncio.run(SessionLimits(page, Settings())(scope, receive, send))

    assert ("websocket.receive" in heard) is is_kept
    assert sent == ([] if is_kept else [{"type": "websocket.close", "code": 1009}])


def test_nothing_is_sent_to_a_page_that_was_closed() -> None:
    sent: list[str] = []

    async def receive() -> Any:
        return {"type": "websocket.receive", "text": "Streamlit takes no text"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def page(_: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        assert (await receive())["type"] == "websocket.disconnect"
        await send({"type": "websocket.send", "bytes": b"of a run that goes on"})
        await send({"type": "websocket.close"})

    scope = {"type": "websocket", "path": "/", "headers": []}
    asyncio.run(SessionLimits(page, Settings())(scope, receive, send))

    assert sent == ["websocket.accept", "websocket.close"]  # uvicorn raises for more
