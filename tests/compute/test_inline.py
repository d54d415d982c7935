import os
import threading

import pytest
import torch

from playground import compute
from playground.errors import InvalidSettingError
from tests.compute.probe.records import AddUp, Fail, WaitOnce, WreckState


def test_within_it_experiments_run_in_this_process():
    with compute.running_inline():
        report = compute.run(AddUp(count=5))

    assert (report.total, report.pid) == (10, os.getpid())
    assert compute.status().lanes == ()


def test_it_holds_for_pages_under_test_which_run_in_another_thread():
    pids = []

    with compute.running_inline():
        page = threading.Thread(target=lambda: pids.append(compute.run(AddUp(count=5)).pid))
        page.start()
        page.join()

    assert pids == [os.getpid()]


def test_it_restores_state_and_caches_nothing(tmp_path):
    note = tmp_path / "note"

    with compute.running_inline():
        compute.run(WreckState())
        for _ in range(2):
            compute.run(WaitOnce(note=str(note)))

    assert torch.get_default_dtype() == torch.float32
    assert note.read_text() == "ran\n" * 2


def test_errors_come_as_they_are():
    with compute.running_inline():
        with pytest.raises(InvalidSettingError):
            compute.run(Fail(way="playground"))
        with pytest.raises(ValueError, match="experiment"):
            compute.run(Fail(way="value"))
