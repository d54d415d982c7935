"""Progress pipe between the server and one worker while an experiment runs; carries bytes only.

The worker sends records, and the server may ask it to stop the run. Each message names its run, so
late ones are ignored. These are sockets of our own instead of ``multiprocessing.Pipe``: a worker
may be killed in the middle of a message, and a pipe's reader would wait for the rest of it.
"""

import select
import socket
import struct
from contextlib import suppress
from multiprocessing import connection

HEADER = struct.Struct("!QI")  # the run, the length
STOP_REQUEST = struct.Struct("!Q")  # the run to stop
END_OF_RECORDS = 0  # as a length; a pickle has at least one byte
CHUNK_BYTES = 2**18
MAX_READ_BYTES = 2**22  # by one ``receive``: far more than a socket holds


class RunCancelledError(BaseException):
    """Raised in an experiment where it reports progress, once its caller has left.

    Not an ``Exception``: an experiment that catches torch's errors must not catch this one.
    """


class ServerEnd:
    """The server's end, for one worker and those that replace it."""

    def __init__(self) -> None:
        self._socket, self.worker_socket = socket.socketpair()
        self._socket.setblocking(False)
        self._unread = b""

    def receive(self, run: int, seconds: float) -> tuple[list[bytes], bool]:
        """Wait until the worker sends something, for so many seconds at most.

        Returns:
            The new records of this run, in order, and whether it was the last one.
        """
        connection.wait([self._socket], seconds)
        self._read()
        records, is_over, begin = [], False, 0
        while len(self._unread) >= begin + HEADER.size:
            sender, length = HEADER.unpack_from(self._unread, begin)
            end = begin + HEADER.size + length
            if len(self._unread) < end:
                break
            if sender == run and length == END_OF_RECORDS:
                is_over = True
            elif sender == run:
                records.append(self._unread[begin + HEADER.size : end])
            begin = end
        self._unread = self._unread[begin:]
        return records, is_over

    def discard_unread(self) -> None:
        """Discard what an earlier run left, also half a message of a killed worker."""
        self._read()
        self._unread = b""

    def request_stop(self, run: int) -> None:
        """Ask the worker to stop a run at its next record."""
        with suppress(OSError):  # full or closed: then the worker is killed
            self._socket.send(STOP_REQUEST.pack(run))

    def close(self) -> None:
        """Close both ends; a worker that sends a record afterwards fails."""
        self._socket.close()
        self.worker_socket.close()

    def _read(self) -> None:
        """Read what is there, up to a limit: a worker may send faster than this can read."""
        chunks, size = [self._unread], 0
        with suppress(BlockingIOError):
            while size < MAX_READ_BYTES and (chunk := self._socket.recv(CHUNK_BYTES)):
                chunks.append(chunk)
                size += len(chunk)
        self._unread = b"".join(chunks)


class WorkerEnd:
    """The worker's end.

    Args:
        worker_socket: ``ServerEnd.worker_socket``, as it arrived in the worker.
    """

    def __init__(self, worker_socket: socket.socket) -> None:
        self._socket = worker_socket

    def send(self, run: int, record: bytes) -> None:
        """Send a record.

        Raises:
            RunCancelledError: The server asked to stop the run.
        """
        self._socket.sendall(HEADER.pack(run, len(record)) + record)
        while select.select([self._socket], [], [], 0)[0]:
            request = self._socket.recv(STOP_REQUEST.size, socket.MSG_WAITALL)
            if len(request) < STOP_REQUEST.size or STOP_REQUEST.unpack(request)[0] == run:
                raise RunCancelledError

    def send_end(self, run: int) -> None:
        """Announce that no record of the run follows."""
        self._socket.sendall(HEADER.pack(run, END_OF_RECORDS))
