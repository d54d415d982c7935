import socket

import pytest

from playground.compute.channel import HEADER, RunCancelledError, ServerEnd, WorkerEnd


@pytest.fixture
def ends():
    server = ServerEnd()
    yield server, WorkerEnd(server.worker_socket)
    server.close()


def test_a_message_that_arrives_in_pieces_is_put_together(ends):
    server, _ = ends
    whole = HEADER.pack(1, 6) + b"record"

    received = []
    for byte in whole:
        server.worker_socket.send(bytes([byte]))
        received += server.receive(1, 1)[0]

    assert received == [b"record"]


class Torrent:
    """The socket of a worker that always has sent more by the time that this was read."""

    MOST = 1_000  # readings until a record must have been passed on

    def __init__(self, end: socket.socket) -> None:
        self.end, self.read = end, 0

    def fileno(self) -> int:
        return self.end.fileno()

    def close(self) -> None:
        self.end.close()

    def recv(self, size: int) -> bytes:
        self.read += 1
        assert self.read < self.MOST, "it reads and reads, and passes nothing on"
        return HEADER.pack(1, size - HEADER.size) + bytes(size - HEADER.size)


def test_a_worker_that_sends_faster_than_it_is_read_is_received(ends, monkeypatch):
    server, worker = ends
    worker.send(1, b"first")
    monkeypatch.setattr(server, "_socket", Torrent(server._socket))

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
