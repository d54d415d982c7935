import multiprocessing
import os
import socket
import sys
from multiprocessing import forkserver, spawn
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from playground.compute import start_method as internals
from playground.compute.worker_process import (
    MESSAGE_HEADER,
    NICE,
    RunCancelledError,
    ServerChannel,
    WorkerChannel,
)
from tests.compute.probe.records import SeeProcess
from tests.fresh import run_fresh

AUTOGROUP = Path("/proc/self/autogroup")
SEE = "print(os.getpriority(os.PRIO_PROCESS, 0), *open('/proc/self/autogroup').read().split()[-1:])"
LOWER = f"from playground.compute.worker_process import lower_priority as f; f(); f(); {SEE}"
linux = pytest.mark.skipif(sys.platform != "linux", reason="of Linux alone")
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


@pytest.mark.parametrize("name", internals.PRIVATE_NAMES)
def test_a_private_part_is_there(name):
    attrgetter(name)(multiprocessing)


def test_the_main_script_is_hidden_from_the_children_of_this_thread_only_within_the_context():
    program = """
from multiprocessing import spawn
from playground.compute.start_method import MAIN_SCRIPT, hide_main_script
import sys
sys.modules["__main__"].__file__ = "server.py"
with hide_main_script():
    print(sorted(set(MAIN_SCRIPT) & spawn.get_preparation_data("x").keys()))
print(sorted(set(MAIN_SCRIPT) & spawn.get_preparation_data("x").keys()))
"""

    assert run_fresh(program).splitlines() == ["[]", "['init_main_from_path']"]


def test_without_private_parts_workers_start_and_it_is_logged_once(monkeypatch, caplog):
    monkeypatch.delattr(spawn, "get_preparation_data")
    monkeypatch.setattr(forkserver, "_forkserver", SimpleNamespace())
    internals._warn_once.cache_clear()

    for _ in range(2):
        internals._patch_preparation_data()
        internals.end_fork_server()
    with internals.hide_main_script():
        pass

    assert caplog.text.count("'get_preparation_data'") == 1
    assert caplog.text.count("'_lock'") == 1


@pytest.fixture
def ends():
    server = ServerChannel()
    yield server, WorkerChannel(server.worker_socket)
    server.close()


def test_a_message_that_arrives_in_pieces_is_put_together(ends):
    server, _ = ends
    received = []

    for byte in MESSAGE_HEADER.pack(1, 6) + b"record":
        server.worker_socket.send(bytes([byte]))
        received += server.receive(1, 1)[0]

    assert received == [b"record"]


def test_a_worker_that_sends_faster_than_it_is_read_is_received(ends, monkeypatch):
    server, worker = ends
    worker.send(1, b"first")
    end, readings = server._socket, iter(range(1_000))

    def receive(size: int) -> bytes:
        """More always has come by the time that this was read."""
        assert next(readings, None) is not None, "it reads and reads, and passes nothing on"
        length = size - MESSAGE_HEADER.size
        return MESSAGE_HEADER.pack(1, length) + bytes(length)

    torrent = SimpleNamespace(recv=receive, fileno=end.fileno, close=end.close)
    monkeypatch.setattr(server, "_socket", torrent)

    records, is_over = server.receive(1, 1)

    assert records
    assert not is_over


def test_records_of_another_run_are_ignored(ends):
    server, worker = ends
    worker.send(1, b"late")
    worker.send_end(1)
    worker.send(2, b"mine")

    assert server.receive(2, 1) == ([b"mine"], False)


def test_only_the_run_that_is_asked_to_stop_stops(ends):
    server, worker = ends
    server.request_stop(1)
    worker.send(2, b"goes on")
    server.request_stop(2)

    with pytest.raises(RunCancelledError):
        worker.send(2, b"ends")


def test_a_worker_without_its_server_fails_where_it_sends():
    server, end = socket.socketpair()
    server.close()

    with pytest.raises(OSError, match="pipe"), end:
        WorkerChannel(end).send(1, b"nobody")
