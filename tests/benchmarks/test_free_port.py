"""A port that a server of a test or a benchmark is to have, and nobody else meanwhile."""

import socket
import sys

import pytest

from benchmarks.server import HOST, free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the port is just free")


def test_nobody_listens_there_and_nobody_else_is_given_it():
    port = free_port()

    with socket.socket() as visitor, pytest.raises(ConnectionRefusedError):
        visitor.connect((HOST, port))
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind((HOST, port))


def test_a_server_may_listen_there_and_again_after_its_end():
    port = free_port()

    for _ in range(2):
        with (
            socket.create_server((HOST, port)) as server,
            socket.create_connection((HOST, port)) as visitor,
        ):
            answered, _ = server.accept()
            assert visitor.getpeername() == (HOST, port)
            answered.close()
