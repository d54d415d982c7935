"""Sharing a real GPU, in processes of their own; needs torch, numpy, pytest and the playground.

A worker is driven through a pipe here, and where pebble is there by its pool, too. Without it::

    pytest --noconftest -m gpu tests/compute/test_gpu.py
"""

import importlib.util
import multiprocessing
import pickle
import socket
import sys
import types
from multiprocessing.connection import Connection
from typing import Any

import pytest


class StandIn(types.ModuleType):
    """A module that is imported by the package and not used here; every name is an exception."""

    def __getattr__(self, name: str) -> type[Exception]:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Exception,), {})


for absent in ("pebble", "psutil", "pynvml"):  # also in the workers, which import this module
    if importlib.util.find_spec(absent) is None:
        sys.modules[absent] = StandIn(absent)

import torch  # noqa: E402

from playground.compute import gpu_quota, start_method, worker_process  # noqa: E402
from playground.compute.gpu_pool import GpuPool  # noqa: E402
from playground.compute.gpu_quota import CONTEXT_BYTES, CONTEXT_LOST, GpuQuota  # noqa: E402
from playground.compute.settings import Settings  # noqa: E402
from playground.compute.streaming import NO_CALLBACKS  # noqa: E402
from playground.errors import ExperimentCrashedError, GpuMemoryError  # noqa: E402
from tests.compute.gpu_probe.records import CardReport, LoseContext, ReadCard, TakeMemory  # noqa: E402
from tests.waiting import wait_until  # noqa: E402

MIB = 2**20
LIMIT = 1024 * MIB
TIMEOUT_SECONDS = 120.0
QUOTA = GpuQuota(limits=(LIMIT,), expects_cuda=True)
HAS_PEBBLE = not isinstance(sys.modules.get("pebble"), StandIn)

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
]


def read(answer: bytes) -> Any:
    return pickle.loads(answer)  # noqa: S301 - written by our own worker


def serve(quota: GpuQuota, pipe: Connection, end: socket.socket, latest: Any) -> None:
    """Do what a worker supervisor lets its process do, without pebble around it."""
    worker_process.prepare(quota, end, latest)
    pipe.send(worker_process.check_ready())
    task = 0
    while True:
        task += 1
        pipe.send(worker_process.execute(pipe.recv_bytes(), 0, task))


class Worker:
    """A real worker process on real GPUs."""

    def __init__(self, quota: GpuQuota) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.mine, end = socket.socketpair()
        self.process = context.Process(
            target=serve, args=(quota, theirs, end, context.RawValue("Q", 0)), daemon=True
        )
        self.process.start()
        theirs.close()
        end.close()
        self.pid = self.receive()

    def send(self, settings: Settings[Any]) -> None:
        self.pipe.send_bytes(pickle.dumps(settings))

    def receive(self) -> Any:
        assert self.pipe.poll(TIMEOUT_SECONDS), "the worker does not answer"
        answer = self.pipe.recv()
        return read(answer) if isinstance(answer, bytes) else answer

    def run(self, settings: Settings[Any]) -> Any:
        self.send(settings)
        return self.receive()

    def exit_code(self) -> int | None:
        self.process.join(TIMEOUT_SECONDS)
        return self.process.exitcode

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.mine.close()


@pytest.fixture
def start():
    started: list[Worker] = []

    def start_one(quota: GpuQuota = QUOTA) -> Worker:
        started.append(Worker(quota))
        return started[-1]

    yield start_one
    for worker in started:
        worker.end()


def free_bytes() -> int:
    return torch.cuda.mem_get_info(0)[0]


def test_a_full_gpu_is_reported_and_the_next_experiment_has_all_of_the_quota(start):
    worker = start()

    refusal = worker.run(TakeMemory(pieces=5, piece_bytes=256 * MIB))

    assert isinstance(refusal, GpuMemoryError)
    assert refusal.key == "gpu_out_of_memory"
    assert refusal.values["text"].startswith(("CUDA out of memory", "HIP out of memory"))
    assert "If reserved but unallocated" not in refusal.values["text"]
    after = worker.run(ReadCard())
    assert (after.pid, after.allocated_bytes, after.reserved_bytes) == (worker.pid, 0, 0)
    assert worker.run(TakeMemory(pieces=3, piece_bytes=256 * MIB)).allocated_bytes == 768 * MIB


def test_the_limit_holds_though_the_gpu_has_room(start):
    assert free_bytes() > 2 * LIMIT, "this GPU has no room for the test"
    worker = start()

    assert isinstance(worker.run(TakeMemory(piece_bytes=LIMIT + 64 * MIB)), GpuMemoryError)
    held = worker.run(TakeMemory(piece_bytes=LIMIT - 64 * MIB))

    assert LIMIT - 64 * MIB <= held.reserved_bytes <= LIMIT


def test_what_asks_for_more_than_its_quota_never_runs(start, tmp_path):
    note = tmp_path / "note"

    refusal = start().run(TakeMemory(piece_bytes=2 * LIMIT, declares=True, note=str(note)))

    assert (refusal.key, refusal.values) == ("gpu_share", {"need": "2.00 GiB", "limit": "1.00 GiB"})
    assert not note.exists()


@pytest.mark.parametrize("way", ["raised", "kept", "unnoticed"])
def test_a_device_side_assertion_ends_one_worker_and_a_new_one_works(start, tmp_path, way):
    broken, neighbour = start(), start()
    neighbour.send(ReadCard(gate=str(tmp_path / "gate")))

    broken.send(LoseContext(way=way))

    assert broken.exit_code() == CONTEXT_LOST
    (tmp_path / "gate").touch()
    assert neighbour.receive().pid == neighbour.pid
    assert start().run(TakeMemory(pieces=3, piece_bytes=256 * MIB)).allocated_bytes == 768 * MIB
    assert neighbour.run(TakeMemory(piece_bytes=256 * MIB)).allocated_bytes == 256 * MIB


def test_two_workers_share_a_gpu_at_the_same_time_and_give_everything_back(start, tmp_path):
    first, second = start(), start()
    before = free_bytes()

    for worker in (first, second):
        worker.send(ReadCard(gate=str(tmp_path / "gate")))
    wait_until(lambda: len(list(tmp_path.glob("gate-*"))) == 2)
    (tmp_path / "gate").touch()
    reports: list[CardReport] = [first.receive(), second.receive()]
    taken = [worker.run(TakeMemory(pieces=3, piece_bytes=256 * MIB)) for worker in (first, second)]

    assert max(each.begun for each in reports) < min(each.ended for each in reports)
    assert [each.allocated_bytes for each in taken] == [768 * MIB] * 2
    assert free_bytes() >= before - 128 * MIB  # kernels that were loaded meanwhile stay


def test_what_is_set_aside_for_the_context_is_enough(start):
    before = free_bytes()

    worker = start()
    worker.run(TakeMemory(piece_bytes=256 * MIB))

    assert before - free_bytes() <= CONTEXT_BYTES


@pytest.mark.skipif(not HAS_PEBBLE, reason="the pool needs pebble")
def test_the_pool_plans_by_this_gpu_and_heals():
    quotas = gpu_quota.plan_quotas()
    assert quotas
    pool = GpuPool(start_method.Spawn(), plan=lambda: quotas[:2], boot_seconds=TIMEOUT_SECONDS)
    pool.start()
    try:
        wait_until(lambda: pool.status().workers == len(quotas[:2]))
        with pytest.raises(ExperimentCrashedError) as raised:
            pool.run(pickle.dumps(LoseContext()), 60, NO_CALLBACKS)
        assert raised.value.key == "gpu_lost"
        wait_until(lambda: pool.status().workers == len(quotas[:2]))
        report = read(pool.run(pickle.dumps(ReadCard()), 60, NO_CALLBACKS))
        assert report.allocated_bytes == 0
        assert (pool.status().losses, pool.status().problem) == (1, "")
    finally:
        pool.stop()
