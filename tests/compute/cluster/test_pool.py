import signal

import pytest

from playground.compute import cluster
from playground.compute.cluster import actor as actor_module
from playground.compute.cluster.actor import Cancelled, WorkerLostError, fingerprint
from playground.compute.cluster.connection import ClusterResources
from playground.compute.streaming import NO_CALLBACKS, Callbacks
from playground.compute.worker_supervisor import WorkerDiedError, WorkerTimedOutError
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
)
from tests.compute.cluster.scripted import ScriptedBridge, ScriptedConnection
from tests.compute.conftest import PageLeft, leave
from tests.compute.test_web_process import run_server
from tests.waiting import wait_until


@pytest.fixture
def bridge():
    return ScriptedBridge()


@pytest.fixture
def connection(bridge):
    running = ScriptedConnection(bridge)
    for pool in running.pools:
        pool.start()
    yield running
    for pool in running.pools:
        pool.stop()


@pytest.fixture
def pool(connection):
    """Two CPU workers."""
    grow(connection, cpus=2)
    return connection.pools[0]


def grow(connection, cpus: int = 0, gpus: int = 0, lost: tuple[int, ...] = ()) -> None:
    for pool in connection.pools:
        pool.resize(ClusterResources(cpus=cpus, gpus=gpus, lost=frozenset(lost)))
    wanted = {"cpu": max(cpus, 1), "gpu": gpus}
    wait_until(lambda: all(pool.status().workers >= wanted[pool.name] for pool in connection.pools))


@pytest.mark.parametrize("loss", [WorkerLostError("node"), EOFError(), ConnectionResetError()])
def test_a_task_whose_node_is_lost_is_run_once_more_elsewhere(pool, bridge, loss):
    bridge.steps.extend([loss, b"report"])

    assert pool.run(b"", 1, NO_CALLBACKS) == b"report"
    assert len(bridge.submitted) == 2
    assert pool.status().crashes == 0


def test_a_task_that_loses_two_nodes_has_crashed(pool, bridge):
    bridge.steps.extend([WorkerLostError("node"), WorkerLostError("node"), b"never"])

    with pytest.raises(ExperimentCrashedError) as crashed:
        pool.run(b"", 1, NO_CALLBACKS)

    assert (crashed.value.key, crashed.value.values) == ("crashed", {"exit_code": None})
    assert len(bridge.submitted) == 2
    assert pool.status().crashes == 1


def test_a_worker_that_dies_or_is_late_is_not_tried_again(pool, bridge):
    bridge.steps.extend([WorkerDiedError(-signal.SIGSEGV), WorkerTimedOutError()])

    with pytest.raises(ExperimentCrashedError) as crashed:
        pool.run(b"", 1, NO_CALLBACKS)
    with pytest.raises(ExperimentTimedOutError) as late:
        pool.run(b"", 1, NO_CALLBACKS)

    assert crashed.value.values == {"exit_code": -signal.SIGSEGV}
    assert late.value.values == {"seconds": 1}
    assert len(bridge.submitted) == 2


@pytest.fixture
def opened(pool, bridge, monkeypatch):
    """The numbers of the workers that start from now on."""
    numbers = []
    monkeypatch.setattr(bridge, "open", lambda *asked: numbers.append(asked[0]) or bridge.found())
    return numbers


@pytest.mark.parametrize(
    ("outcome", "is_kept"),
    [
        (Cancelled(is_worker_free=True), True),
        (Cancelled(is_worker_free=False), False),
        (b"late", True),
    ],
)
def test_who_leaves_ends_the_task_and_comes_through(pool, bridge, opened, outcome, is_kept):
    bridge.ends_when_cancelled = outcome

    with pytest.raises(PageLeft):
        pool.run(b"", 1, Callbacks(on_run=leave))

    wait_until(lambda: pool.status().workers == 2)
    assert bridge.cancelled == set(bridge.submitted)
    assert bool(opened) is not is_kept


def test_a_node_that_does_not_end_a_task_loses_its_actor(pool, bridge, monkeypatch):
    monkeypatch.setattr(cluster, "CANCEL_TIMEOUT_SECONDS", 0.05)
    bridge.ends_when_cancelled = None

    with pytest.raises(PageLeft):
        pool.run(b"", 1, Callbacks(on_run=leave))

    assert bridge.killed == bridge.submitted


def test_a_node_that_never_answers_loses_its_actor(pool, bridge, monkeypatch):
    monkeypatch.setattr(cluster, "OUTCOME_TIMEOUT_SECONDS", 0.0)

    with pytest.raises(ExperimentCrashedError):
        pool.run(b"", 0.03, NO_CALLBACKS)

    assert bridge.killed == bridge.submitted
    assert len(bridge.submitted) == 2


def test_without_a_cluster_no_experiment_waits(pool, bridge, connection):
    connection.problem = "compute_unavailable"

    with pytest.raises(ComputeUnavailableError):
        pool.run(b"", 1, NO_CALLBACKS)

    assert not bridge.submitted
    assert pool.status().problem == "compute_unavailable"
    assert not pool.is_open


def test_a_waiting_experiment_fails_when_the_cluster_is_lost(connection, bridge, visitors):
    bridge.found = lambda: ""  # so no worker ever starts
    pool, places = connection.pools[0], []

    def lose(place: int) -> None:
        places.append(place)
        connection.problem = "compute_unavailable"

    with pytest.raises(ComputeUnavailableError):
        visitors.submit(pool.run, b"", 1, Callbacks(on_wait=lose)).result(60)
    assert places == [0]  # no worker has started


def test_there_are_as_many_workers_as_processors_up_to_a_bound(connection):
    grow(connection, cpus=3)
    assert connection.pools[0].status().workers == 3

    connection.pools[0].resize(ClusterResources(cpus=10_000, gpus=0, lost=frozenset()))
    wait_until(lambda: connection.pools[0].status().workers == cluster.MAX_WORKERS)


def test_a_gpu_pool_is_there_once_a_gpu_was_seen(connection):
    cpu, gpu = connection.pools
    grow(connection, cpus=1)
    assert (cpu.exists, gpu.exists, gpu.is_open) == (True, False, False)

    grow(connection, cpus=1, gpus=2)
    assert (gpu.exists, gpu.is_open, gpu.status().workers) == (True, True, 2)


def test_a_pool_whose_nodes_do_not_come_back_has_a_problem_and_is_closed(connection, bridge):
    _, gpu = connection.pools
    grow(connection, gpus=1)
    bridge.found = lambda: ""

    gpu.reopen_all()
    wait_until(lambda: not gpu.status().workers)
    assert (gpu.is_open, gpu.status().is_ready) == (True, False)

    gpu._boot_seconds = 0.0
    wait_until(lambda: not gpu.is_open)
    assert gpu.status().problem == "compute_unavailable"


def test_idle_workers_whose_node_was_lost_are_replaced(connection, pool, opened):
    first, _ = pool._supervisors

    grow(connection, cpus=2, lost=(first.number,))
    assert opened == [first.number]


def test_a_node_with_another_playground_gets_no_task(connection, bridge, caplog):
    answers = iter(["another", "another"])
    bridge.found = lambda: next(answers, None) or fingerprint()

    grow(connection, cpus=1)

    assert bridge.killed == [connection.pools[0]._supervisors[0].number] * 2
    assert "another playground" in caplog.text


def test_another_line_of_code_or_another_torch_is_another_playground(tmp_path, monkeypatch):
    monkeypatch.setattr(actor_module, "PACKAGE", tmp_path)

    def found(text: str, version: str) -> str:
        (tmp_path / "module.py").write_text(text)
        monkeypatch.setattr(actor_module.metadata, "version", lambda _: version)
        return fingerprint.__wrapped__()

    first = found("a = 1", "2.13.0+cpu")
    assert len({first, found("a = 2", "2.13.0+cpu"), found("a = 1", "2.12.0")}) == 3
    assert found("a = 1", "2.13.0+cu130") == first


def test_the_server_loads_neither_ray_nor_torch(tmp_path):
    program = """
import sys, time
from playground import compute
from playground.compute.runner import Runner
from playground.compute.cluster import build_pools
runner = Runner(lambda: build_pools("127.0.0.1:1"))
runner.start()
while not runner.status().problem:
    time.sleep(0.01)
assert not {"ray", "torch", "numpy"} & set(sys.modules)
runner.stop()
print("fine")
"""
    done = run_server(program, tmp_path)

    assert done.stdout == "fine\n"
    assert "The Ray cluster at 127.0.0.1:1 cannot be used" in done.stderr
