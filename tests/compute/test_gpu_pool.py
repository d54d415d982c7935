import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from playground.compute import start_method
from playground.compute.gpu_pool import UNAVAILABLE, Backoff, GpuPool
from playground.compute.runner import Runner
from playground.compute.status import PoolStatus
from playground.compute.streaming import Callbacks
from playground.compute.worker_supervisor import WorkerSupervisor
from playground.errors import ComputeUnavailableError, ExperimentCrashedError, GpuMemoryError
from playground.machines import Machine
from tests.compute.conftest import cpu_pools
from tests.compute.gpu_probe.records import (
    CardReport,
    FakeQuota,
    LoseContext,
    MeasureCard,
    ReadCard,
    SeeWorker,
    TakeMemory,
)
from tests.compute.probe.records import MeasureAddUp
from tests.waiting import wait_until

GIB = 2**30
NEVER = 3600.0
ON_CPU = SeeWorker(machine=Machine())


class Host:
    """A host with two workers on one GPU of 16 GiB; each may take 4 of them."""

    def __init__(self, faults: Path) -> None:
        self.faults = faults
        self.gate = faults / "gate"
        self.now = 0.0
        self.plans = 0
        quota = FakeQuota(
            limits=(4 * GIB,), expects_cuda=True, totals=(16 * GIB,), faults=str(faults)
        )
        self.quotas: tuple[FakeQuota, ...] = (quota, quota)
        self.gpu = GpuPool(
            start_method.fastest_context(),
            plan=self.plan,
            backoff=Backoff(30, 600, lambda: self.now),
            check_seconds=NEVER,
        )
        self.runner = Runner(lambda: {**cpu_pools(workers=1), "gpu": self.gpu})

    def plan(self) -> tuple[FakeQuota, ...]:
        self.plans += 1
        return self.quotas

    def begin(self, visitors: ThreadPoolExecutor, count: int) -> list[Future[CardReport]]:
        """Let some workers run at the same time, until ``end``."""
        for file in self.at_the_gate():
            file.unlink()
        settings = ReadCard(gate=str(self.gate))
        tasks = [visitors.submit(self.runner.run, settings) for _ in range(count)]
        wait_until(lambda: len(self.at_the_gate()) == count)
        assert self.status().running == count
        return tasks

    def at_the_gate(self) -> list[Path]:
        """The gate, if it is open, and a file of each worker that waits at it."""
        return list(self.faults.glob("gate*"))

    def end(self, tasks: list[Future[CardReport]]) -> list[CardReport]:
        """Let those end."""
        self.gate.touch()
        return [task.result() for task in tasks]

    def look_at_both(self, visitors: ThreadPoolExecutor) -> dict[int, CardReport]:
        """Return the memory that each worker holds, by its process id."""
        return {each.pid: each for each in self.end(self.begin(visitors, 2))}

    def status(self) -> PoolStatus:
        return self.gpu.status()

    def is_up(self) -> bool:
        return self.status().workers == 2 and self.status().is_ready


@pytest.fixture
def host(runner, tmp_path, until):
    runner.run(MeasureAddUp())  # the fork server is there
    made = Host(tmp_path)
    made.runner.start()
    until(made.is_up)
    yield made
    made.runner.stop()


def lose(host: Host, again: int = 0, way: str = "raised") -> ExperimentCrashedError:
    with pytest.raises(ExperimentCrashedError) as raised:
        host.runner.run(LoseContext(way=way, again=again))
    return raised.value


def test_a_full_gpu_is_reported_its_memory_is_freed_and_the_worker_stays(host, visitors):
    workers = host.look_at_both(visitors)
    neighbour = host.begin(visitors, 1)

    with pytest.raises(GpuMemoryError) as raised:
        host.runner.run(TakeMemory(pieces=5, piece_bytes=GIB))

    assert raised.value.key == "gpu_out_of_memory"
    assert "Tried to allocate 1.00 GiB" in raised.value.values["text"]
    assert "4.00 GiB allowed" in raised.value.values["text"]
    assert "PYTORCH_ALLOC_CONF" not in raised.value.values["text"]
    assert host.end(neighbour)
    after = host.look_at_both(visitors)
    assert set(after) == set(workers)
    assert {(each.allocated_bytes, each.reserved_bytes) for each in after.values()} == {(0, 0)}
    assert host.runner.run(TakeMemory(pieces=4, piece_bytes=GIB)).allocated_bytes == 4 * GIB
    assert (host.status().crashes, host.status().losses) == (0, 0)


def test_what_asks_for_more_than_its_quota_is_refused_before_it_runs(host, tmp_path):
    note = tmp_path / "note"
    asked = TakeMemory(pieces=5, piece_bytes=GIB, declares=True, note=str(note))

    with pytest.raises(GpuMemoryError) as raised:
        host.runner.run(asked)

    sizes = {"need": "5.00 GiB", "limit": "4.00 GiB"}
    assert (raised.value.key, raised.value.values) == ("gpu_share", sizes)
    assert not note.exists()
    host.runner.run(TakeMemory(pieces=4, piece_bytes=GIB, declares=True, note=str(note)))
    assert note.exists()


@pytest.mark.parametrize("way", ["raised", "kept", "unnoticed"])
def test_a_lost_context_costs_one_worker_and_no_neighbour(host, visitors, until, way):
    neighbour = host.begin(visitors, 1)

    error = lose(host, way=way)

    assert (error.key, error.values) == ("gpu_lost", {"exit_code": 75})
    (kept,) = host.end(neighbour)
    status = host.status()
    assert (status.crashes, status.losses, status.problem) == (1, 1, "")
    until(host.is_up)
    assert kept.pid in host.look_at_both(visitors)


def test_contexts_lost_again_and_again_close_the_pool_and_the_cpu_goes_on(host, visitors, until):
    gpu_pid = host.runner.run(SeeWorker())
    busy = host.begin(visitors, 1)

    for again in range(3):
        assert lose(host, again).key == "gpu_lost"

    status = host.runner.status()
    assert (status.gpu_problem, status.pools[1].retry_seconds) == (UNAVAILABLE, 30)
    assert status.is_ready
    assert not status.pools[1].is_ready
    cpu_pid = host.runner.run(SeeWorker())  # not what is kept from the GPU
    assert cpu_pid == host.runner.run(ON_CPU) != gpu_pid
    host.gpu.check()
    assert (host.status().problem, host.plans) == (UNAVAILABLE, 1)  # the backoff goes on
    (undisturbed,) = host.end(busy)
    until(lambda: not psutil.pid_exists(undisturbed.pid))

    host.now += 30
    host.gpu.check()
    until(host.is_up)

    assert (host.runner.status().gpu_problem, host.plans) == ("", 2)
    assert host.runner.run(SeeWorker()) == gpu_pid  # what the GPU said is kept, and is said again
    assert host.runner.run(ReadCard()).pid != cpu_pid


def test_losses_with_good_experiments_between_them_close_nothing(host):
    for again in range(4):
        lose(host, again)
        host.runner.run(ReadCard())

    assert (host.status().losses, host.status().problem) == (4, "")


def test_gpus_that_fall_away_are_noticed_while_nobody_runs_and_come_back(host, until):
    (host.faults / "away").touch()

    host.gpu.check()
    host.gpu.check()
    until(lambda: host.status().problem)

    assert host.status().problem == UNAVAILABLE
    assert host.runner.run(ON_CPU)
    for _ in range(2):  # it stays away: each delay is twice as long
        delay = host.status().retry_seconds
        host.now += delay
        host.gpu.check()
        until(lambda before=delay: host.status().retry_seconds == 2 * before)
    (host.faults / "away").unlink()
    host.now += host.status().retry_seconds
    host.gpu.check()
    until(host.is_up)
    assert host.runner.run(ReadCard()).pid


def test_a_host_whose_gpus_do_not_answer_says_so_at_once(runner, tmp_path, until):
    host = Host(tmp_path)
    quotas, host.quotas = host.quotas, ()
    host.runner.start()
    until(lambda: host.status().problem)

    assert host.runner.run(ON_CPU)
    assert host.runner.status().is_ready

    host.quotas = quotas
    host.now += 30
    host.gpu.check()
    until(host.is_up)
    host.runner.stop()


def test_an_experiment_that_waits_for_a_lost_gpu_fails(host, visitors, until):
    (host.faults / "sick").touch()
    tasks = [visitors.submit(host.runner.run, ReadCard()) for _ in range(6)]

    keys = set()
    for task in tasks:
        with pytest.raises((ExperimentCrashedError, ComputeUnavailableError)) as raised:
            task.result()
        keys.add(raised.value.key)

    assert keys <= {"gpu_lost", UNAVAILABLE}
    wait_until(lambda: host.status().problem == UNAVAILABLE)
    assert host.status().workers == 0
    assert host.status().waiting == host.status().running == 0


def test_experiments_share_a_gpu_and_a_measurement_has_it_alone(host, visitors):
    together = host.begin(visitors, 2)
    waited = threading.Event()
    measured = visitors.submit(
        host.runner.run, MeasureCard(), None, Callbacks(lambda _: waited.set())
    )
    assert waited.wait(300)
    later = visitors.submit(host.runner.run, ReadCard())

    first, second = host.end(together)
    assert first.pid != second.pid
    assert max(first.begun, second.begun) < min(first.ended, second.ended)
    assert max(first.ended, second.ended) <= measured.result().begun
    assert measured.result().ended <= later.result().begun


def test_the_backoff_doubles_until_it_is_reset():
    now = [0.0]
    backoff = Backoff(30, 100, lambda: now[0])

    for seconds in (30, 60, 100, 100):
        assert backoff.seconds_left == 0
        backoff.begin()
        assert backoff.seconds_left == seconds
        now[0] += seconds
    backoff.reset()
    backoff.begin()
    assert backoff.seconds_left == 30


def test_who_comes_while_a_worker_is_checked_waits_for_it(host, visitors, monkeypatch):
    host.gpu._idle_since -= NEVER  # nobody came for an hour
    checked, go_on, open_supervisor = threading.Event(), threading.Event(), WorkerSupervisor.open

    def open_slowly(supervisor: WorkerSupervisor) -> bool:
        checked.set()
        go_on.wait(300)
        return open_supervisor(supervisor)

    monkeypatch.setattr(WorkerSupervisor, "open", open_slowly)
    for _ in range(2):
        host.gpu.check()
    assert checked.wait(300)
    waited = threading.Event()

    task = visitors.submit(host.runner.run, ReadCard(), None, Callbacks(lambda _: waited.set()))

    assert waited.wait(300)
    go_on.set()
    assert task.result().pid
