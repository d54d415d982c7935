"""Names the private parts that a new version of Python no longer has."""

import multiprocessing
import sys
from multiprocessing import forkserver, spawn
from operator import attrgetter
from types import SimpleNamespace

import pytest

from playground.compute import multiprocessing_internals as internals
from tests.fresh import run_fresh

linux = pytest.mark.skipif(sys.platform != "linux", reason="the fork server is used on Linux")


@pytest.mark.parametrize("name", internals.PRIVATE_NAMES)
def test_a_private_part_is_there(name):
    attrgetter(name)(multiprocessing)


def test_the_main_script_is_hidden_from_the_children_of_this_thread_only_within_the_context():
    program = """
from multiprocessing import spawn
from playground.compute.multiprocessing_internals import MAIN_SCRIPT, hide_main_script
import sys
sys.modules["__main__"].__file__ = "server.py"
with hide_main_script():
    print(sorted(set(MAIN_SCRIPT) & spawn.get_preparation_data("x").keys()))
print(sorted(set(MAIN_SCRIPT) & spawn.get_preparation_data("x").keys()))
"""

    assert run_fresh(program).splitlines() == ["[]", "['init_main_from_path']"]


def test_without_the_preparation_data_workers_start_and_it_is_logged_once(monkeypatch, caplog):
    monkeypatch.delattr(spawn, "get_preparation_data")
    internals._warn_once.cache_clear()

    for _ in range(2):
        internals._patch_preparation_data()
    with internals.hide_main_script():
        pass

    assert caplog.text.count("'get_preparation_data'") == 1


@linux
def test_without_its_parts_the_fork_server_stays_and_it_is_logged_once(monkeypatch, caplog):
    monkeypatch.setattr(forkserver, "_forkserver", SimpleNamespace())
    internals._warn_once.cache_clear()

    for _ in range(2):
        internals.end_fork_server()

    assert caplog.text.count("'_lock'") == 1
