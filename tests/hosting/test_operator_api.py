from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, Histogram
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from hosting import progress
from hosting.logs_and_metrics import RerunTimer, time_experiment
from hosting.operator_api import StateCollector, gpu_note, is_healthy, is_operator, part_states
from hosting.settings import Gate, Settings
from playground import compute
from playground.compute.status import ComputeStatus, PoolStatus
from playground.errors import QueueFullError
from playground.machines import gpu_detection, nvml
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from tests.hosting.asgi import metric, scope_of, websocket
from tests.hosting.browser import request

TOKEN = "t" * 40
OPEN = Settings()
WITH_TOKEN = Settings(metrics_token=TOKEN)
GATED = Settings(gate=Gate.CODE, class_code="gradients")
GATED_WITH_TOKEN = replace(GATED, metrics_token=TOKEN)
HERE, ELSEWHERE = ("127.0.0.1", 1), ("192.0.2.1", 1)
POOL = PoolStatus(name="cpu", workers=2, is_ready=True, waiting=0, running=0, crashes=0, timeouts=0)
STARTING = replace(POOL, is_ready=False)
DOWN = replace(STARTING, problem="x")
DOWN_GPU = replace(DOWN, name="gpu")
HOLDS, CLOSED = SelfTestResult(ok=True), SelfTestResult(ok=False, closed_because="no Landlock")


@pytest.mark.parametrize(
    ("settings", "client", "headers", "expected"),
    [
        (OPEN, HERE, {}, True),
        (OPEN, ELSEWHERE, {}, False),
        (OPEN, HERE, {"host": "evil.example:8501"}, False),  # DNS rebinding
        (OPEN, HERE, {"x-forwarded-for": "192.0.2.1"}, False),
        (OPEN, HERE, {"forwarded": "for=192.0.2.1"}, False),
        (OPEN, None, {}, False),
        (GATED, HERE, {}, False),
        (GATED_WITH_TOKEN, ELSEWHERE, {"authorization": f"Bearer {TOKEN}"}, True),
        (GATED_WITH_TOKEN, HERE, {"authorization": TOKEN}, False),
        (WITH_TOKEN, HERE, {}, False),
        (WITH_TOKEN, HERE, {"authorization": "Bearer "}, False),
        (WITH_TOKEN, HERE, {"authorization": "Bearer \xe9"}, False),
    ],
)
def test_the_operator_is_known_by_token_or_by_this_computer(settings, client, headers, expected):
    scope = scope_of("GET", "/api/metrics", {}, client=client)
    sent = {"host": "localhost:8501", **headers}
    scope["headers"] = [(name.encode(), text.encode("latin-1")) for name, text in sent.items()]
    assert is_operator(scope, settings) is expected


@pytest.mark.parametrize(
    ("pools", "found", "database", "expected", "works"),
    [
        ((POOL,), HOLDS, None, ("ok", "absent", "ok", "absent"), True),
        ((POOL,), HOLDS, (False, False), ("ok", "absent", "ok", "starting"), True),
        ((), None, None, ("starting", "absent", "starting", "absent"), False),
        ((STARTING,), HOLDS, (True, False), ("starting", "absent", "ok", "ok"), False),
        ((DOWN,), HOLDS, None, ("down", "absent", "ok", "absent"), False),
        ((POOL, DOWN_GPU), CLOSED, (False, True), ("ok", "down", "closed", "down"), True),
    ],
)
def test_health_reports_each_part_as_it_is(pools, found, database, expected, works):
    if database is not None:
        database = SimpleNamespace(is_available=database[0], is_failing=database[1])
    states = part_states(ComputeStatus(pools=pools), found, database)
    assert tuple(states[part] for part in ("workers", "gpu", "sandbox", "database")) == expected
    assert is_healthy(states) is works


@pytest.mark.parametrize(
    ("torch_cuda", "capability", "said"),
    [
        ("", "", "without CUDA"),
        ("13.0", "", "535.104 supports CUDA up to 12.2"),
        ("13.0", "7.0", "compute capability 7.0"),
    ],
)
def test_gpus_that_torch_cannot_use_are_explained(monkeypatch, torch_cuda, capability, said):
    unusable = gpu_detection.UnusableGpus(2, "535.104", "12.2", torch_cuda, capability)
    monkeypatch.setattr(gpu_detection, "unusable_gpus", lambda: unusable)
    english, chinese = (gpu_note.__wrapped__(language) for language in ("en", "zh"))
    assert said in english
    assert "模拟" in chinese


def finished(how: Any) -> dict[str, Any]:
    data = ForwardMsg(script_finished=how).SerializeToString()
    return {"type": "websocket.send", "bytes": data}


def test_a_rerun_is_timed_from_its_click_to_its_end():
    registry = CollectorRegistry()
    times = Histogram("rerun_seconds", "x", registry=registry)
    now = [0.0]

    async def page(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(finished(ForwardMsg.FINISHED_SUCCESSFULLY))  # nobody has clicked
        now[0] = 10.0
        await receive()
        now[0] = 11.0
        await send({"type": "websocket.send", "bytes": b"\xff" * 50})
        await send(finished(ForwardMsg.FINISHED_EARLY_FOR_RERUN))
        await receive()
        await receive()
        now[0] = 13.0
        await send(finished(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))

    heartbeat, click = BackMsg(app_heartbeat=True).SerializeToString(), request("lang=zh")
    coming = [{"type": "websocket.receive", "bytes": x} for x in (heartbeat, click, click, b"\xff")]
    websocket(RerunTimer(page, times, lambda: now[0]), *coming)

    assert registry.get_sample_value("rerun_seconds_count") == 1
    assert registry.get_sample_value("rerun_seconds_sum") == 3.0


def test_the_parts_are_reported_to_prometheus_as_they_are(monkeypatch):
    pool = replace(POOL, crashes=2, timeouts=3, waiting=4, losses=1)
    writer = SimpleNamespace(is_available=False, is_failing=True, waiting=5, failures=6)
    cuda = Accelerator(kind=AcceleratorKind.CUDA)
    known = replace(cuda, memory_used_bytes=7, memory_total_bytes=8)
    driver = nvml.Driver(version="1", cuda_version="1", gpus=(known, cuda))
    monkeypatch.setattr(compute, "status", lambda: ComputeStatus(pools=(pool,)))
    monkeypatch.setattr(jail, "found", lambda: None)
    monkeypatch.setattr(jail, "restarts", lambda: 9)
    monkeypatch.setattr(jail, "waiting", lambda: 10)
    monkeypatch.setattr(progress, "current", lambda: writer)
    monkeypatch.setattr(nvml, "read_driver", lambda: driver)
    registry = CollectorRegistry()
    registry.register(StateCollector())
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in registry.collect()
        for sample in family.samples
    }

    expected = {
        ("playground_up", "workers"): 1,
        ("playground_up", "sandbox"): 0,
        ("playground_up", "database"): 0,
        ("playground_queue", "cpu"): 4,
        ("playground_crashes_total", "cpu"): 2,
        ("playground_timeouts_total", "cpu"): 3,
        ("playground_lost_contexts_total", "cpu"): 1,
        ("playground_sandbox_restarts_total",): 9,
        ("playground_sandbox_waiting",): 10,
        ("playground_progress_waiting",): 5,
        ("playground_progress_failures_total",): 6,
        ("playground_gpu_memory_used_bytes", "0"): 7,
        ("playground_gpu_memory_bytes", "0"): 8,
    }
    assert samples.items() >= expected.items()
    assert ("playground_up", "gpu") not in samples
    assert ("playground_gpu_memory_bytes", "1") not in samples


def test_experiments_are_counted_by_what_became_of_them():
    def counts() -> list[float]:
        outcomes = ("done", "queue_full", "left")
        return [metric("playground_experiment_seconds_count", outcome=each) for each in outcomes]

    before = counts()
    with time_experiment():
        pass
    with pytest.raises(QueueFullError), time_experiment():
        raise QueueFullError("queue_full", place=1)
    with pytest.raises(KeyboardInterrupt), time_experiment():
        raise KeyboardInterrupt

    assert counts() == [count + 1 for count in before]
