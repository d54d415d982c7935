"""The playground as an operator starts it: a process of its own on a free loopback port."""

import http.client
import json
import os
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.server import free_port
from tests.fresh import run_fresh
from tests.waiting import MAX_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
START_SECONDS = MAX_SECONDS
STREAM = "/_stcore/stream"
LIST_ROUTES = """
import json
from app import app
print(json.dumps([
    [type(route).__name__, route.path, sorted(getattr(route, "methods", None) or [])]
    for route in app._build_starlette_app().routes
]))
"""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class Address(ABC):
    """Where a websocket may be asked for."""

    @abstractmethod
    def connect(self, headers: dict[str, str] | None = None) -> ClientConnection: ...

    def refusal(self, headers: dict[str, str] | None = None) -> int:
        """The status with which a websocket is refused; 0 where it is let in."""
        try:
            with self.connect(headers):
                return 0
        except InvalidStatus as refused:
            return refused.response.status_code


class Server(Address):
    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=300)
        try:
            connection.request(method, path, body=body or None, headers=headers or {})
            answer = connection.getresponse()
            received = {name.lower(): text for name, text in answer.getheaders()}
            return Reply(answer.status, received, answer.read())
        finally:
            connection.close()

    def connect(self, headers: dict[str, str] | None = None) -> ClientConnection:
        return connect(
            f"ws://{HOST}:{self.port}{STREAM}",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=headers or {},
            max_size=None,
            open_timeout=300,
            proxy=None,
        )


def environment(**settings: str) -> dict[str, str]:
    ours = {f"PLAYGROUND_{name.upper()}": text for name, text in settings.items()}
    rest = {name: text for name, text in os.environ.items() if not name.startswith("PLAYGROUND_")}
    return {**rest, **ours}


def command(port: int, without: Sequence[str] = ()) -> list[str]:
    """What starts a server.

    Args:
        without: Parts to leave out, as ``streamlit_without`` names them.
    """
    streamlit = ["tests.hosting.streamlit_without", ",".join(without)] if without else ["streamlit"]
    return [sys.executable, "-m", *streamlit, "run", "app.py", f"--server.port={port}"]


@contextmanager
def serving(
    log: Path, port: int = 0, without: Sequence[str] = (), **settings: str
) -> Iterator[Server]:
    """A running server; ended by its own id, its workers with it."""
    port = port or free_port()
    with log.open("wb") as opened:
        process = subprocess.Popen(
            command(port, without),
            cwd=ROOT,
            env=environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=opened,
            stderr=opened,
        )
    try:
        wait(process, port, log)
        yield Server(port)
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)


def wait(process: subprocess.Popen[bytes], port: int, log: Path | None = None) -> None:
    """Wait until a process listens; the error is what it has written, where there is a log."""

    def listens() -> bool:
        if process.poll() is not None:
            raise RuntimeError(log.read_text() if log else f"{process.args} has ended")
        with socket.socket() as probe:
            return probe.connect_ex((HOST, port)) == 0

    wait_until(listens)


def routes(**settings: str) -> list[tuple[str, str, list[str]]]:
    """Every route of the app, as its own router lists them."""
    text = run_fresh(LIST_ROUTES, environment(**settings))
    return [tuple(route) for route in json.loads(text.splitlines()[-1])]


def last_words(**settings: str) -> tuple[int, str]:
    """With which status and sentence a server that cannot start ends."""
    ended = subprocess.run(
        command(free_port()),
        cwd=ROOT,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )
    return ended.returncode, ended.stderr
