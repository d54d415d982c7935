"""The web process goes first; read from the system, not from what was asked of it."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from playground.compute.priority import NICE
from tests.compute.probe.records import SeeProcess
from tests.fresh import run_fresh

AUTOGROUP = Path("/proc/self/autogroup")
SEE = "print(os.getpriority(os.PRIO_PROCESS, 0), *open('/proc/self/autogroup').read().split()[-1:])"
GIVE_WAY = f"from playground.compute.priority import give_way; give_way(); give_way(); {SEE}"
linux = pytest.mark.skipif(sys.platform != "linux", reason="tasks are grouped on Linux")
grouped = pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel groups no sessions")


@linux
def test_a_worker_goes_after_the_process_that_asks(runner):
    own = psutil.Process().nice()

    assert psutil.Process(runner.run(SeeProcess()).pid).nice() == max(own, NICE)
    assert psutil.Process().nice() == own


@grouped
def test_the_leader_of_a_session_lowers_all_of_it_once():
    assert run_fresh(f"import os; os.setsid(); {GIVE_WAY}").split() == [str(max(NICE, nice()))] * 2


@grouped
def test_others_leave_their_session_as_it_is():
    before = AUTOGROUP.read_text().split()[-1:]  # empty in the session the system began with

    assert run_fresh(f"import os; {GIVE_WAY}").split() == [str(max(NICE, nice())), *before]


def test_who_is_low_already_stays_there():
    program = f"import os; os.nice(19); {GIVE_WAY.replace(SEE, 'print(os.nice(0))')}"

    assert run_fresh(program).split() == ["19"]


def nice() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)
