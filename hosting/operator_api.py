"""The operator's HTTP endpoints, ``/api/health`` and ``/api/metrics``, and who may read them.

Health is the state of the server's parts: web process, workers, GPU, sandbox, database.
"""

import functools
import hmac
from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

import anyio.to_thread
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from hosting import progress, settings
from hosting.framework_internals import uploaded_bytes
from hosting.login_and_error_pages import NO_STORE, say
from hosting.logs_and_metrics import REGISTRY
from hosting.requests import EN, client_address
from hosting.settings import Gate, Settings
from hosting.trusted_hosts import is_from_this_computer
from playground import compute
from playground.compute.status import ComputeStatus, PoolStatus
from playground.machines import gpu_detection, nvml
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult

SCHEME = "bearer "


def routes() -> list[BaseRoute]:
    """Return the routes of both endpoints, which authorize their requests themselves."""
    return [Route("/api/health", answer_health), Route("/api/metrics", answer_metrics)]


def is_operator(scope: Scope, chosen: Settings) -> bool:
    """Return whether a request has the token, or comes from this computer.

    The latter counts only in an open playground without a token.
    """
    headers = Headers(scope=scope)
    if chosen.metrics_token:
        given = headers.get("authorization", "")
        token = given[len(SCHEME) :] if given.lower().startswith(SCHEME) else ""
        return hmac.compare_digest(token.encode(), chosen.metrics_token.encode())
    return chosen.gate is Gate.OPEN and is_from_this_computer(headers, client_address(scope))


async def answer_health(request: Request) -> JSONResponse:
    """Answer "ok" or "not ok", with 200 or 503; to the operator also the state of each part."""
    writer = progress.current()
    states = part_states(compute.status(), jail.found(), writer)
    works = is_healthy(states)
    body: dict[str, object] = {"status": "ok" if works else "not ok"}
    if is_operator(request.scope, settings.current()):
        body["parts"] = states
        if note := gpu_note(EN):
            body["gpu_note"] = note
        body["progress_waiting"] = writer.waiting if writer else 0
    return JSONResponse(body, 200 if works else 503, headers=NO_STORE)


async def answer_metrics(request: Request) -> Response:
    """Answer with all metrics as text, for the operator; with 401 for anybody else."""
    if not is_operator(request.scope, settings.current()):
        return PlainTextResponse("", 401, {**NO_STORE, "www-authenticate": "Bearer"})
    text = await anyio.to_thread.run_sync(_generate)  # the GPU's driver may be slow
    return Response(text, headers={**NO_STORE, "content-type": CONTENT_TYPE_LATEST})


# -- health ----------------------------------------------------------------------------------------


class State(StrEnum):
    """State of a part."""

    OK = "ok"
    STARTING = "starting"
    DOWN = "down"
    ABSENT = "absent"
    CLOSED = "closed"


class Database(Protocol):
    """The writer of progress, as far as its health goes."""

    @property
    def is_available(self) -> bool:
        """The database answered the last time."""

    @property
    def is_failing(self) -> bool:
        """The last attempt failed."""


def part_states(
    status: ComputeStatus, preflight: SelfTestResult | None, database: Database | None = None
) -> dict[str, State]:
    """Return the state of each part.

    Args:
        status: Of the workers.
        preflight: The result of the jail's self-test; None while it runs.
        database: The writer of progress; None if no progress is saved.
    """
    pools = {pool.name: pool for pool in status.pools}
    return {
        "web": State.OK,
        "workers": _pool_state(pools["cpu"]) if "cpu" in pools else State.STARTING,
        "gpu": _pool_state(pools["gpu"]) if "gpu" in pools else State.ABSENT,
        "sandbox": _sandbox_state(preflight),
        "database": _database_state(database),
    }


@functools.cache
def gpu_note(language: str) -> str:
    """Return why the NVIDIA GPUs of this computer are not used; empty if nothing is wrong.

    A new driver needs a restart in any case, so the answer is kept.
    """
    found = gpu_detection.unusable_gpus()
    if found is None:
        return ""
    values = {"count": found.count, "driver": found.driver, "supported": found.driver_cuda}
    name = "old-driver" if found.torch_cuda else "no-cuda"
    if found.compute_capability:
        name, values["capability"] = "old-gpu", found.compute_capability
    return say(f"server.{name}", language, needed=found.torch_cuda, **values)


def is_healthy(states: dict[str, State]) -> bool:
    """Return whether lessons work, for which the CPU's workers suffice.

    Lessons go on without the GPU, the lab and the database, so a proxy should keep the server.
    """
    return states["web"] is State.OK and states["workers"] is State.OK


def _pool_state(pool: PoolStatus) -> State:
    if pool.problem:
        return State.DOWN
    return State.OK if pool.is_ready else State.STARTING


def _sandbox_state(preflight: SelfTestResult | None) -> State:
    if preflight is None:
        return State.STARTING
    return State.OK if preflight.ok else State.CLOSED


def _database_state(database: Database | None) -> State:
    if database is None:
        return State.ABSENT
    if database.is_available:
        return State.OK
    return State.DOWN if database.is_failing else State.STARTING


# -- metrics ---------------------------------------------------------------------------------------


def _generate() -> bytes:
    _register()
    return generate_latest(REGISTRY)


@functools.cache
def _register() -> None:
    REGISTRY.register(StateCollector())


class StateCollector(Collector):
    """Reads the state of the server's parts for each scrape, without waiting for anything."""

    def collect(self) -> Iterator[Metric]:
        status = compute.status()
        yield from _lanes(status)
        up = GaugeMetricFamily("playground_up", "Whether a part works.", labels=["part"])
        writer = progress.current()
        for part, state in part_states(status, jail.found(), writer).items():
            if state is not State.ABSENT:
                up.add_metric([part], float(state is State.OK))
        yield up
        waiting = jail.waiting()
        yield _gauge("playground_sandbox_waiting", "Cells and files that wait.", waiting)
        yield _counter("playground_sandbox_restarts", "Zygotes lost and replaced.", jail.restarts())
        if writer is not None:
            late, failed = writer.waiting, writer.failures
            yield _gauge("playground_progress_waiting", "Entries not yet in the database.", late)
            yield _counter("playground_progress_failures", "Writes that failed.", failed)
        uploaded = sum(uploaded_bytes().values())
        yield _gauge("playground_uploads_bytes", "Uploaded files kept in memory.", uploaded)
        memory = _resident_bytes()
        yield _gauge("playground_web_memory_bytes", "Resident memory of the web process.", memory)
        yield from _gpus()


def _resident_bytes() -> int:
    import psutil  # only when it is first asked for: the start need not wait for it

    return int(psutil.Process().memory_info().rss)


def _lanes(status: ComputeStatus) -> Iterator[Metric]:
    lane_label = ["lane"]
    workers = GaugeMetricFamily("playground_workers", "Workers that are up.", labels=lane_label)
    waiting = GaugeMetricFamily("playground_queue", "Experiments waiting.", labels=lane_label)
    running = GaugeMetricFamily("playground_running", "Experiments running.", labels=lane_label)
    crashes = CounterMetricFamily("playground_crashes", "Workers that died.", labels=lane_label)
    timeouts = CounterMetricFamily("playground_timeouts", "Workers killed.", labels=lane_label)
    lost = CounterMetricFamily("playground_lost_contexts", "Of CUDA.", labels=lane_label)
    for pool in status.pools:
        workers.add_metric([pool.name], pool.workers)
        waiting.add_metric([pool.name], pool.waiting)
        running.add_metric([pool.name], pool.running)
        crashes.add_metric([pool.name], pool.crashes)
        timeouts.add_metric([pool.name], pool.timeouts)
        lost.add_metric([pool.name], pool.losses)
    yield from (workers, waiting, running, crashes, timeouts, lost)


def _gpus() -> Iterator[Metric]:
    used = GaugeMetricFamily("playground_gpu_memory_used_bytes", "Memory in use.", labels=["gpu"])
    total = GaugeMetricFamily("playground_gpu_memory_bytes", "Memory there is.", labels=["gpu"])
    driver = nvml.read_driver()
    for place, gpu in enumerate(driver.gpus if driver else ()):
        if gpu.memory_used_bytes is not None and gpu.memory_total_bytes is not None:
            used.add_metric([str(place)], gpu.memory_used_bytes)
            total.add_metric([str(place)], gpu.memory_total_bytes)
    yield from (used, total)


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def _counter(name: str, meaning: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, meaning, value=value)
