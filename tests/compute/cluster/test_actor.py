"""What sits on a node, without Ray: its methods are called from threads, as Ray does."""

import pickle
import signal

import pytest

from playground.compute import seat
from playground.compute.cluster import actor as actors
from playground.compute.cluster import fingerprint
from playground.compute.cluster.actor import SeatActor
from playground.compute.cluster.ending import Left, unpack
from playground.compute.seat import WorkerDiedError, WorkerTimedOutError
from tests.compute.conftest import BOOT_SECONDS
from tests.compute.probe.records import CountUp, Die
from tests.compute.test_web_process import run_server


@pytest.fixture(scope="module")
def actor(runner):
    """Its worker comes from the fork server of the runner: another one would import torch again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(actors, "BOOT_SECONDS", BOOT_SECONDS)
        sitting = SeatActor(hides_cuda=True)
    assert sitting.open() == fingerprint.fingerprint()
    yield sitting
    sitting._seat.close()


def test_a_run_ends_with_its_report_or_with_what_became_of_its_worker(actor):
    def ending(number: int, settings: object, timeout: float = 60.0):
        return unpack(actor.run(number, pickle.dumps(settings), timeout, False))

    assert ending(1, CountUp(total=3)) == pickle.dumps(3, pickle.HIGHEST_PROTOCOL)

    died = ending(2, Die(way="kill"))
    assert isinstance(died, WorkerDiedError)
    assert died.exit_code == -signal.SIGKILL

    assert actor.open()
    assert isinstance(ending(3, Die(way="hang"), 1.0), WorkerTimedOutError)
    assert actor.open()


def test_progress_is_heard_while_it_runs_and_nobody_waits_once_it_is_over(
    actor, visitors, monkeypatch
):
    monkeypatch.setattr(seat, "POLITE_SECONDS", 120.0)  # however busy the computer is, it obeys
    settings = pickle.dumps(CountUp(total=10**9, pause_seconds=0.01))
    running = visitors.submit(actor.run, 10, settings, 120, True)

    first, second = actor.hear(10, 60), actor.hear(10, 60)
    actor.leave(10)

    assert first is not None
    assert second not in {first, None}
    assert unpack(running.result(120)) == Left(is_worker_free=True)
    actor.hear(10, 60)  # what was told last
    assert actor.hear(10, 60) is None


def test_another_line_of_code_or_another_torch_is_another_playground(tmp_path, monkeypatch):
    module = tmp_path / "module.py"
    found = []

    for text, version in (("a = 1", "2.13.0+cpu"), ("a = 2", "2.13.0+cpu"), ("a = 1", "2.12.0")):
        module.write_text(text)
        monkeypatch.setattr(fingerprint, "PACKAGE", tmp_path)
        monkeypatch.setattr(fingerprint.metadata, "version", lambda _, told=version: told)
        found.append(fingerprint.fingerprint.__wrapped__())
    monkeypatch.setattr(fingerprint.metadata, "version", lambda _: "2.13.0+cu130")
    module.write_text("a = 1")

    assert len(set(found)) == 3
    assert fingerprint.fingerprint.__wrapped__() == found[0]


def test_the_web_process_loads_neither_ray_nor_torch(tmp_path):
    program = """
import sys, time
from playground import compute
from playground.compute.runner import Runner
from playground.compute.cluster import build_lanes
runner = Runner(lambda: build_lanes("127.0.0.1:1"))
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
