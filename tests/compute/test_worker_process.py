"""The server goes before its workers; read from the system, not from what was asked of it."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from playground.compute.worker_process import NICE
from tests.compute.probe.records import SeeProcess
from tests.fresh import run_fresh

AUTOGROUP = Path("/proc/self/autogroup")
SEE = "print(os.getpriority(os.PRIO_PROCESS, 0), *open('/proc/self/autogroup').read().split()[-1:])"
LOWER = f"from playground.compute.worker_process import lower_priority as f; f(); f(); {SEE}"
linux = pytest.mark.skipif(sys.platform != "linux", reason="tasks are grouped on Linux")
grouped = pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel groups no sessions")


@linux
def test_a_worker_goes_after_the_process_that_asks(runner):
    own = psutil.Process().nice()

    assert psutil.Process(runner.run(SeeProcess()).pid).nice() == max(own, NICE)
    assert psutil.Process().nice() == own


@grouped
def test_the_leader_of_a_session_lowers_all_of_it_once():
    assert run_fresh(f"import os; os.setsid(); {LOWER}").split() == [str(max(NICE, nice()))] * 2


@grouped
def test_others_leave_their_session_as_it_is():
    before = AUTOGROUP.read_text().split()[-1:]  # empty in the session the system began with

    assert run_fresh(f"import os; {LOWER}").split() == [str(max(NICE, nice())), *before]


def test_a_lower_priority_stays():
    program = f"import os; os.nice(19); {LOWER.replace(SEE, 'print(os.nice(0))')}"

    assert run_fresh(program).split() == ["19"]


def nice() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)
