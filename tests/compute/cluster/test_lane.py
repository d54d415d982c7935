"""The lanes of a cluster, before a bridge whose answers are written down."""

import signal

import pytest

from playground.compute.cluster import seat
from playground.compute.cluster.bridge import Sight
from playground.compute.cluster.ending import Left, WorkerLostError
from playground.compute.cluster.lane import MOST_WORKERS
from playground.compute.progress import SILENT, Progress
from playground.compute.seat import WorkerDiedError, WorkerTimedOutError
from playground.errors import (
    ComputeUnavailableError,
    ExperimentCrashedError,
    ExperimentTimedOutError,
    InvalidSettingError,
)
from tests.compute.cluster.scripted import ScriptedBridge, ScriptedCluster
from tests.waiting import wait_until


class PageLeft(BaseException):
    """Streamlit stops a script like this."""


def leave(_: float) -> None:
    raise PageLeft


@pytest.fixture
def bridge():
    return ScriptedBridge()


@pytest.fixture
def cluster(bridge):
    running = ScriptedCluster(bridge)
    for lane in running.lanes:
        lane.start()
    yield running
    for lane in running.lanes:
        lane.stop()


@pytest.fixture
def lane(cluster):
    """Two CPU workers."""
    grow(cluster, cpus=2)
    return cluster.lanes[0]


def grow(cluster, cpus: int = 0, gpus: int = 0, lost: tuple[int, ...] = ()) -> None:
    for lane in cluster.lanes:
        lane.adapt(Sight(cpus=cpus, gpus=gpus, lost=frozenset(lost)))
    wanted = {"cpu": max(cpus, 1), "gpu": gpus}
    wait_until(lambda: all(lane.status().workers >= wanted[lane.name] for lane in cluster.lanes))


def test_an_answer_is_passed_on(lane, bridge):
    refused = InvalidSettingError("bounds", field="way", given=4, most=3)
    bridge.steps.extend([b"report", refused])

    assert lane.run(b"", 1, SILENT) == b"report"
    answer = lane.run(b"", 1, SILENT)
    assert type(answer) is InvalidSettingError
    assert answer.values == refused.values


@pytest.mark.parametrize("loss", [WorkerLostError("node"), EOFError(), ConnectionResetError()])
def test_a_task_whose_node_is_lost_is_run_once_more_elsewhere(lane, bridge, loss):
    bridge.steps.extend([loss, b"report"])

    assert lane.run(b"", 1, SILENT) == b"report"
    assert len(bridge.begun) == 2
    assert lane.status().crashes == 0


def test_a_task_that_loses_two_nodes_has_crashed(lane, bridge):
    bridge.steps.extend([WorkerLostError("node"), WorkerLostError("node"), b"never"])

    with pytest.raises(ExperimentCrashedError) as crashed:
        lane.run(b"", 1, SILENT)

    assert (crashed.value.key, crashed.value.values) == ("crashed", {"exit_code": None})
    assert len(bridge.begun) == 2
    assert lane.status().crashes == 1


def test_a_worker_that_dies_or_is_late_is_not_tried_again(lane, bridge):
    bridge.steps.extend([WorkerDiedError(-signal.SIGSEGV), WorkerTimedOutError()])

    with pytest.raises(ExperimentCrashedError) as crashed:
        lane.run(b"", 1, SILENT)
    with pytest.raises(ExperimentTimedOutError) as late:
        lane.run(b"", 1, SILENT)

    assert crashed.value.values == {"exit_code": -signal.SIGSEGV}
    assert late.value.values == {"seconds": 1}
    assert len(bridge.begun) == 2


@pytest.mark.parametrize(
    ("ending", "is_kept"),
    [(Left(is_worker_free=True), True), (Left(is_worker_free=False), False), (b"late", True)],
)
def test_a_caller_who_leaves_ends_the_task_and_comes_through(
    lane, bridge, monkeypatch, ending, is_kept
):
    opened = []
    bridge.ends_when_left = ending
    monkeypatch.setattr(bridge, "open", lambda *asked: opened.append(asked) or bridge.found())

    with pytest.raises(PageLeft):
        lane.run(b"", 1, Progress(on_run=leave))

    wait_until(lambda: lane.status().workers == 2)
    assert bridge.left == set(bridge.begun)
    assert bool(opened) is not is_kept


def test_a_node_that_does_not_end_a_task_loses_its_actor(lane, bridge, monkeypatch):
    monkeypatch.setattr(seat, "LEAVE_SECONDS", 0.05)
    bridge.ends_when_left = None

    with pytest.raises(PageLeft):
        lane.run(b"", 1, Progress(on_run=leave))

    assert bridge.dropped == bridge.begun


def test_a_node_that_never_answers_loses_its_actor(lane, bridge, monkeypatch):
    monkeypatch.setattr(seat, "PATIENCE_SECONDS", 0.0)

    with pytest.raises(ExperimentCrashedError):
        lane.run(b"", 0.03, SILENT)

    assert bridge.dropped == bridge.begun
    assert len(bridge.begun) == 2


def test_without_a_cluster_nobody_waits(lane, bridge, cluster):
    cluster.problem = "compute_unavailable"

    with pytest.raises(ComputeUnavailableError):
        lane.run(b"", 1, SILENT)

    assert not bridge.begun
    assert lane.status().problem == "compute_unavailable"
    assert not lane.is_open


def test_who_waits_is_told_when_the_cluster_is_lost(cluster, bridge, visitors):
    bridge.found = lambda: ""  # so nobody ever sits down
    lane = cluster.lanes[0]
    places = []

    def lose(place: int) -> None:
        places.append(place)
        cluster.problem = "compute_unavailable"

    with pytest.raises(ComputeUnavailableError):
        visitors.submit(lane.run, b"", 1, Progress(on_wait=lose)).result(60)
    assert places == [0]  # no worker has started


def test_there_are_as_many_workers_as_processors_up_to_a_bound(cluster):
    grow(cluster, cpus=3)
    assert cluster.lanes[0].status().workers == 3

    cluster.lanes[0].adapt(Sight(cpus=10_000, gpus=0, lost=frozenset()))
    wait_until(lambda: cluster.lanes[0].status().workers == MOST_WORKERS)


def test_a_gpu_lane_is_there_once_a_gpu_was_seen(cluster):
    cpu, gpu = cluster.lanes
    grow(cluster, cpus=1)
    assert (cpu.exists, gpu.exists, gpu.is_open) == (True, False, False)

    grow(cluster, cpus=1, gpus=2)
    assert (gpu.exists, gpu.is_open, gpu.status().workers) == (True, True, 2)


def test_a_lane_whose_nodes_do_not_come_back_has_a_problem_and_is_closed(cluster, bridge):
    _, gpu = cluster.lanes
    grow(cluster, gpus=1)
    bridge.found = lambda: ""

    gpu.renew()
    wait_until(lambda: not gpu.status().workers)
    assert (gpu.is_open, gpu.status().is_ready) == (True, False)

    gpu._boot_seconds = 0.0
    wait_until(lambda: not gpu.is_open)
    assert gpu.status().problem == "compute_unavailable"


def test_idle_workers_whose_node_was_lost_are_replaced(cluster, bridge, monkeypatch):
    grow(cluster, cpus=2)
    opened = []
    monkeypatch.setattr(bridge, "open", lambda *asked: opened.append(asked[0]) or bridge.found())
    first, _ = cluster.lanes[0]._seats

    grow(cluster, cpus=2, lost=(first.number,))
    assert opened == [first.number]


def test_a_node_with_another_playground_gets_no_task(cluster, bridge, caplog):
    answers = iter(["another", "another"])
    bridge.found = lambda: next(answers, None) or ScriptedBridge().found()

    grow(cluster, cpus=1)

    assert bridge.dropped == [cluster.lanes[0]._seats[0].number] * 2
    assert "another playground" in caplog.text
