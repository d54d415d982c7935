"""The way between the web process and one worker while an experiment runs; knows bytes only.

The worker tells, the web process may ask it to end. A message names the run that it belongs to, so
that what is late is ignored. Sockets of our own instead of ``multiprocessing.Pipe``: a worker may
be killed in the middle of a message, and nobody then waits for the rest of it.
"""

import select
import socket
import struct
from contextlib import suppress
from multiprocessing import connection

HEAD = struct.Struct("!QI")  # the run, the length
ASKED = struct.Struct("!Q")  # the run that is to end
OVER = 0  # the length that says: nothing more will be told; a pickle has at least one byte
CHUNK = 2**18
MOST_AT_ONCE = 2**22  # bytes read in one hearing: far more than what lies in a socket


class RunCancelledError(BaseException):
    """Raised in an experiment, where it tells, when nobody wants to hear it any more.

    Not an ``Exception``: an experiment that keeps torch's refusals must not keep this one.
    """


class WebEnd:
    """The end of the web process, for one worker and those that replace it."""

    def __init__(self) -> None:
        self._mine, self.workers = socket.socketpair()
        self._mine.setblocking(False)
        self._unread = b""

    def hear(self, run: int, seconds: float) -> tuple[list[bytes], bool]:
        """Wait until the worker tells something, or for so many seconds.

        Returns:
            What this run told since, in order, and whether it will tell nothing more.
        """
        connection.wait([self._mine], seconds)
        self._read()
        told, is_over, begin = [], False, 0
        while len(self._unread) >= begin + HEAD.size:
            teller, length = HEAD.unpack_from(self._unread, begin)
            end = begin + HEAD.size + length
            if len(self._unread) < end:
                break
            if teller == run and length == OVER:
                is_over = True
            elif teller == run:
                told.append(self._unread[begin + HEAD.size : end])
            begin = end
        self._unread = self._unread[begin:]
        return told, is_over

    def empty(self) -> None:
        """Forget what an earlier run left, also the half of a message of a killed worker."""
        self._read()
        self._unread = b""

    def ask_to_end(self, run: int) -> None:
        """Ask the worker to end a run the next time that it tells something."""
        with suppress(OSError):  # full or closed: then it is killed
            self._mine.send(ASKED.pack(run))

    def close(self) -> None:
        """Close both ends; a worker that still tells something fails."""
        self._mine.close()
        self.workers.close()

    def _read(self) -> None:
        """Read what is there, and no more of a worker that tells faster than this can read."""
        chunks, size = [self._unread], 0
        with suppress(BlockingIOError):
            while size < MOST_AT_ONCE and (chunk := self._mine.recv(CHUNK)):
                chunks.append(chunk)
                size += len(chunk)
        self._unread = b"".join(chunks)


class WorkerEnd:
    """The end of the worker.

    Args:
        end: ``WebEnd.workers``, as it came to the worker.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def tell(self, run: int, record: bytes) -> None:
        """Send a record.

        Raises:
            RunCancelledError: The run is to end.
        """
        self._socket.sendall(HEAD.pack(run, len(record)) + record)
        while select.select([self._socket], [], [], 0)[0]:
            asked = self._socket.recv(ASKED.size, socket.MSG_WAITALL)
            if len(asked) < ASKED.size or ASKED.unpack(asked)[0] == run:
                raise RunCancelledError

    def tell_over(self, run: int) -> None:
        """Say that nothing more will be told."""
        self._socket.sendall(HEAD.pack(run, OVER))
