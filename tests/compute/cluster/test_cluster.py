"""Experiments on a real Ray cluster of this computer: nodes are added, and killed."""

import importlib.util
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from playground.compute.cluster import connection
from playground.compute.runner import Runner
from playground.compute.streaming import Callbacks
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
    InvalidSettingError,
)
from playground.machines import Machine, MachineKind
from tests.compute.cluster.nodes import ENVIRONMENT, LocalCluster, Node
from tests.compute.probe.records import (
    AddUp,
    CountUp,
    Die,
    Fail,
    ReadState,
    SeeProcess,
    Wait,
    WreckState,
)
from tests.waiting import wait_until

REAL = Machine(kind=MachineKind.REAL)
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: requirements-ray.txt"
)


@pytest.fixture
def cluster(monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with LocalCluster() as running:
        yield running


@pytest.fixture
def runner(cluster, monkeypatch):
    monkeypatch.setattr(connection, "RETRY_SECONDS", 0.5)
    before = spawned()
    running = Runner()
    running.start(cluster.address)
    yield running
    running.stop()
    assert spawned() == before


def test_experiments_run_on_a_cluster_and_outlive_its_nodes(runner, cluster, visitors, tmp_path):
    """One test, as a cluster takes seconds to start."""
    head = cluster.start_head(cpus=1, gpus=1)
    until_workers(runner, cpu=1, gpu=1)
    reports_come_from_the_node(runner, head)
    failures_are_raised_and_stay_in_their_task(runner)
    progress_arrives_and_a_stopped_run_frees_the_worker(runner, tmp_path)

    node = cluster.start_node(cpus=1)
    until_workers(runner, cpu=2, gpu=1)
    a_task_is_run_again_where_its_node_is_killed(runner, node, visitors, tmp_path)

    head.kill()
    without_a_cluster_experiments_fail_at_once(runner)
    cluster.start_head(cpus=1)
    until_workers(runner, cpu=1, gpu=0)
    assert runner.run(AddUp(count=9)).total == sum(range(9))


def reports_come_from_the_node(runner: Runner, head: Node) -> None:
    on_cpu, on_gpu = runner.run(SeeProcess()), runner.run(SeeProcess(machine=REAL))

    assert runner.run(AddUp(count=5)).total == sum(range(5))
    assert head.has(on_cpu.pid)
    assert head.has(on_gpu.pid)
    assert (on_cpu.visible_devices, on_gpu.visible_devices) == ("", "0")
    assert on_cpu.threads == 1
    assert runner.count_gpus() == 1
    assert "ray" not in sys.modules


def failures_are_raised_and_stay_in_their_task(runner: Runner) -> None:
    before = runner.run(ReadState())
    runner.run(WreckState())
    assert runner.run(ReadState()) == before

    with pytest.raises(InvalidSettingError, match="bounds"):
        runner.run(Fail(way="playground"))
    with pytest.raises(ExperimentCrashedError, match="ValueError"):
        runner.run(Fail())
    with pytest.raises(ExperimentCrashedError) as crashed:
        runner.run(Die(way="segfault"), timeout=60)
    with pytest.raises(ExperimentTimedOutError):
        runner.run(Die(way="hang-deaf"))

    assert crashed.value.values == {"exit_code": -11}
    assert runner.run(AddUp(count=6)).total == sum(range(6))
    pool = runner.status().pools[0]
    assert (pool.crashes, pool.timeouts) == (1, 1)


def progress_arrives_and_a_stopped_run_frees_the_worker(runner: Runner, folder: Path) -> None:
    stream = runner.stream(CountUp(total=3, gate=str(folder)))
    for count in range(3):
        assert next(stream).count == count
        (folder / str(count)).touch()
    assert list(stream) == []
    assert stream.report == 3

    with runner.stream(CountUp(total=10**9, pause_seconds=0.01)) as stopped:  # it has no end
        next(stopped)
    assert runner.run(AddUp(count=8)).total == sum(range(8))
    assert runner.status().pools[0].timeouts == 1  # the one of before


def a_task_is_run_again_where_its_node_is_killed(runner, node, visitors, folder) -> None:
    note, gate = folder / "note", folder / "gate"
    settings = Wait(gate=str(gate), note=str(note))
    tasks = [visitors.submit(runner.run, settings) for _ in range(2)]
    wait_until(lambda: note.exists() and len(note.read_text().splitlines()) == 2)
    assert runner.status().pools[0].running == 2

    node.kill()
    gate.touch()

    assert all(task.result() for task in tasks)
    assert len(note.read_text().splitlines()) == 3
    assert runner.status().pools[0].crashes == 1  # the one of before


def without_a_cluster_experiments_fail_at_once(runner: Runner) -> None:
    wait_until(lambda: runner.status().problem)
    waited = []

    with pytest.raises(ComputeUnavailableError):
        runner.run(AddUp(count=7), callbacks=Callbacks(on_wait=waited.append))
    assert not waited
    assert not runner.status().is_ready


def until_workers(runner: Runner, **wanted: int) -> None:
    def has_them() -> bool:
        pools = {pool.name: pool for pool in runner.status().pools}
        return all(
            pools[name].workers == count if name in pools else not count
            for name, count in wanted.items()
        )

    wait_until(has_them)


def spawned() -> set[psutil.Process]:
    """The bridge is one of these."""
    found = set()
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it ended meanwhile
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                found.add(child)
    return found
