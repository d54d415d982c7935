"""The actor on a node, without Ray: its methods are called from threads, as Ray does."""

import pickle
import signal

import pytest

from playground.compute import worker_slot
from playground.compute.cluster import actor as actor_module
from playground.compute.cluster.actor import Cancelled, SlotActor, fingerprint, unpack
from playground.compute.worker_slot import WorkerDiedError, WorkerTimedOutError
from tests.compute.conftest import BOOT_SECONDS
from tests.compute.probe.records import CountUp, Die
from tests.compute.test_web_process import run_server


@pytest.fixture(scope="module")
def actor(runner):
    """Its worker comes from the fork server of the runner: another one would import torch again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(actor_module, "BOOT_SECONDS", BOOT_SECONDS)
        made = SlotActor(hides_cuda=True)
    assert made.open() == fingerprint()
    yield made
    made._slot.close()


def test_the_outcome_is_the_report_or_the_end_of_the_worker(actor):
    def outcome(number: int, settings: object, timeout: float = 60.0):
        return unpack(actor.run(number, pickle.dumps(settings), timeout, False))

    assert outcome(1, CountUp(total=3)) == pickle.dumps(3, pickle.HIGHEST_PROTOCOL)

    died = outcome(2, Die(way="kill"))
    assert isinstance(died, WorkerDiedError)
    assert died.exit_code == -signal.SIGKILL

    assert actor.open()
    assert isinstance(outcome(3, Die(way="hang"), 1.0), WorkerTimedOutError)
    assert actor.open()


def test_progress_is_received_while_it_runs_and_no_longer_awaited_once_it_is_over(
    actor, visitors, monkeypatch
):
    monkeypatch.setattr(
        worker_slot, "STOP_TIMEOUT_SECONDS", 120.0
    )  # however busy the computer is, it obeys
    settings = pickle.dumps(CountUp(total=10**9, pause_seconds=0.01))
    running = visitors.submit(actor.run, 10, settings, 120, True)

    first, second = actor.receive(10, 60), actor.receive(10, 60)
    actor.cancel(10)

    assert first is not None
    assert second not in {first, None}
    assert unpack(running.result(120)) == Cancelled(is_worker_free=True)
    actor.receive(10, 60)  # the last record
    assert actor.receive(10, 60) is None


def test_another_line_of_code_or_another_torch_is_another_playground(tmp_path, monkeypatch):
    module = tmp_path / "module.py"
    found = []

    for text, version in (("a = 1", "2.13.0+cpu"), ("a = 2", "2.13.0+cpu"), ("a = 1", "2.12.0")):
        module.write_text(text)
        monkeypatch.setattr(actor_module, "PACKAGE", tmp_path)
        monkeypatch.setattr(actor_module.metadata, "version", lambda _, found=version: found)
        found.append(fingerprint.__wrapped__())
    monkeypatch.setattr(actor_module.metadata, "version", lambda _: "2.13.0+cu130")
    module.write_text("a = 1")

    assert len(set(found)) == 3
    assert fingerprint.__wrapped__() == found[0]


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
