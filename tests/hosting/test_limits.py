"""Files, experiments and runs in the lab have limits, and what is refused is counted."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hosting.limits import rate_limit
from hosting.limits.uploads import UploadLimits
from hosting.metrics import Rejected
from hosting.settings import Settings
from playground.errors import RunQuotaError, TooManyExperimentsError
from playground.machines import Machine
from playground.sandbox.quotas import Quotas
from tests.hosting.asgi import Answer, Inside, ask, call, counted, metric, scope_of
from ui.lab import submit

MEBIBYTE = 2**20
PUT = "/_stcore/upload_file/{}/f"
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


def test_uploads_of_a_session_are_counted_by_the_minute() -> None:
    app = limits(uploads_per_minute=2)

    assert [upload(app).status for _ in range(3)] == [200, 200, 429]
    assert upload(app, session="other").status == 200
    refused = upload(app)
    assert refused.headers["retry-after"] == "30"
    assert "30 s" in refused.text


@pytest.mark.parametrize("size", [None, "", "-1", "1e3", "٣", "9" * 40])
def test_an_upload_without_a_length_is_refused(size: str | None) -> None:
    with counted(Rejected.UPLOAD):
        assert upload(limits(), size).status == 411


def test_an_upload_is_refused_by_its_length_before_it_is_read() -> None:
    inside = Inside()

    assert upload(limits(app=inside), 10**12).status == 413
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


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("sessions", "size", "late", "status"),
    [
        ("aab", MEBIBYTE, ("c", 1), 429),  # no place is left
        ("aa", 1, ("a", 1), 429),  # none for this session
        ("a", 8 * MEBIBYTE, ("b", 3 * MEBIBYTE), 503),  # no memory is left
    ],
)
async def test_files_on_their_way_take_places_and_memory_and_give_both_back(
    sessions: str, size: int, late: tuple[str, int], status: int
) -> None:
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
        with counted(Rejected.EXPERIMENT), pytest.raises(TooManyExperimentsError) as refused:
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


def test_runs_in_the_lab_are_timed_and_their_refusals_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Full:
        def turn(self, _: str) -> Any:
            raise RunQuotaError("run_too_often", seconds=1, most=1)

    def run() -> None:
        lab: Any = SimpleNamespace(running=None, latest=None, session="s", text="")
        submit._submit(lab, Machine(), lambda _: None)  # type: ignore[arg-type, return-value]
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
