import socket
from types import SimpleNamespace

import pytest

from playground.compute.channel import HEADER, RunCancelledError, ServerEnd, WorkerEnd


@pytest.fixture
def ends():
    server = ServerEnd()
    yield server, WorkerEnd(server.worker_socket)
    server.close()


def test_a_message_that_arrives_in_pieces_is_put_together(ends):
    server, _ = ends
    received = []

    for byte in HEADER.pack(1, 6) + b"record":
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
        return HEADER.pack(1, size - HEADER.size) + bytes(size - HEADER.size)

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
        WorkerEnd(end).send(1, b"nobody")
