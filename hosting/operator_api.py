"""The operator's HTTP endpoints, ``/api/health`` and ``/api/metrics``, and who may read them."""

import functools
import hmac
from collections.abc import Iterator

import anyio.to_thread
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from hosting import health, progress, settings
from hosting.framework_internals import uploaded_bytes
from hosting.gate.trusted_hosts import is_from_this_computer
from hosting.metrics import REGISTRY
from hosting.requests import EN, client_address
from hosting.responses import NO_STORE
from hosting.settings import Gate, Settings
from playground import compute
from playground.compute.status import ComputeStatus
from playground.machines import nvml
from playground.sandbox import jail

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
    states = health.parts(compute.status(), jail.found(), writer)
    is_healthy = health.is_healthy(states)
    body: dict[str, object] = {"status": "ok" if is_healthy else "not ok"}
    if is_operator(request.scope, settings.current()):
        body["parts"] = states
        if note := health.gpu_note(EN):
            body["gpu_note"] = note
        body["progress_waiting"] = writer.waiting if writer else 0
    return JSONResponse(body, 200 if is_healthy else 503, headers=NO_STORE)


async def answer_metrics(request: Request) -> Response:
    """Answer with all metrics as text, for the operator; with 401 for anybody else."""
    if not is_operator(request.scope, settings.current()):
        return PlainTextResponse("", 401, {**NO_STORE, "www-authenticate": "Bearer"})
    text = await anyio.to_thread.run_sync(_generate)  # the GPU's driver may be slow
    return Response(text, headers={**NO_STORE, "content-type": CONTENT_TYPE_LATEST})


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
        for part, state in health.parts(status, jail.found(), writer).items():
            if state is not health.State.ABSENT:
                up.add_metric([part], float(state is health.State.OK))
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
