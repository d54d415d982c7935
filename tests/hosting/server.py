"""The playground as an operator starts it, and what it is asked: one process on a loopback port."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families as parse
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.server import free_port
from tests.fresh import run_fresh
from tests.hosting.asgi import Answer
from tests.waiting import MAX_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
STREAM = "/_stcore/stream"
CODE, TOKEN, SECRET = "gradients", "m" * 40, "s" * 32
GATED = {"gate": "code", "class_code": CODE, "cookie_secret": SECRET}
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
LIST_ROUTES = """
import json, re
from app import app
routes = app._build_starlette_app().routes
print(json.dumps([re.sub(r"\\{(\\w+)(:\\w+)?\\}", "x", route.path) or "/" for route in routes]))
"""


def answer_of(connection: http.client.HTTPConnection) -> Answer:
    """Return the response; several cookies are several lines."""
    response = connection.getresponse()
    headers: dict[str, str] = {}
    for name, text in response.getheaders():
        headers[name.lower()] = "\n".join(filter(None, (headers.get(name.lower()), text)))
    return Answer(response.status, headers, response.read())


class Address:
    """A server that is asked for pages and a websocket."""

    port: int
    url: str  # as a browser shows it

    def open(self, source: str) -> http.client.HTTPConnection:
        """A connection from an address of this computer."""
        raise NotImplementedError

    def connect(self, headers: dict[str, str] | None = None) -> ClientConnection:
        raise NotImplementedError

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes = b"",
        headers: dict[str, str] | None = None,
        source: str = HOST,
    ) -> Answer:
        """Ask; ``source`` is the visitor's own address, all of 127.0.0.0/8 will do."""
        with contextlib.closing(self.open(source)) as connection:
            connection.request(method, path, body=body or None, headers=headers or {})
            return answer_of(connection)

    def let_in(self, paths: set[str], methods: Sequence[str]) -> set[tuple[str, str, int]]:
        """Return the requests that are open to strangers: those not answered by 401."""
        asked = ((method, path) for path in sorted(paths) for method in methods)
        answers = {(*each, self.ask(*each).status) for each in asked}
        return {each for each in answers if each[2] != 401}

    def refusal(self, headers: dict[str, str] | None = None) -> int:
        """The status with which a websocket is refused; 0 where it is let in."""
        try:
            with self.connect(headers):
                return 0
        except InvalidStatus as refused:
            return refused.response.status_code


class Server(Address):
    """The server as systemd's unit and the container start it; it can restart on its port.

    Its settings are read at every start; its log and, by default, its data are in the folder.
    """

    def __init__(
        self, folder: Path, settings: dict[str, str], without: Sequence[str] = (), port: int = 0
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://{HOST}:{self.port}"
        self.log = folder / "log"
        self._settings = settings
        self._folder = folder
        self._without = without
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def data_folder(self) -> Path:
        """The folder of its database."""
        return Path(self._settings.get("data_folder", self._folder))

    def start(self) -> None:
        with self.log.open("ab") as opened:
            self.process = subprocess.Popen(
                command(self.port, self._without),
                cwd=ROOT,
                env=environment(**{"data_folder": str(self._folder), **self._settings}),
                **{**QUIET, "stdout": opened, "stderr": opened},
            )
        wait(self.process, self.port, self.log)

    def stop(self, seconds: float = MAX_SECONDS) -> None:
        """As ``systemctl stop`` does: SIGTERM; its workers end with it."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(seconds)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start it, and end it by its own id, also where it was started again meanwhile."""
        try:
            self.start()
            yield
        finally:
            if self.process is not None and self.process.poll() is None:
                self.stop()

    def open(self, source: str) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(
            HOST, self.port, timeout=MAX_SECONDS, source_address=(source, 0)
        )

    def connect(self, headers: dict[str, str] | None = None) -> ClientConnection:
        return connect(
            f"ws://{HOST}:{self.port}{STREAM}",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=headers or {},
            max_size=None,
            open_timeout=MAX_SECONDS,
            proxy=None,
        )

    def ask_as_operator(self, path: str) -> str:
        return self.ask("GET", path, headers={"authorization": f"Bearer {TOKEN}"}).text

    def metric(self, name: str, **labels: str) -> float:
        return next(
            sample.value
            for family in parse(self.ask_as_operator("/api/metrics"))
            for sample in family.samples
            if sample.name == name and sample.labels == labels
        )

    def wait_until_ready(self) -> None:
        wait_until(lambda: self.ask("GET", "/api/ready").status == 200)


def environment(**settings: str) -> dict[str, str]:
    ours = {f"PLAYGROUND_{name.upper()}": text for name, text in settings.items()}
    rest = {name: text for name, text in os.environ.items() if not name.startswith("PLAYGROUND_")}
    return {**rest, **ours}


def command(port: int, without: Sequence[str] = ()) -> list[str]:
    """The command that starts a server, without the parts that ``altered_streamlit`` leaves out."""
    altered = ["tests.hosting.altered_streamlit", ",".join(without)]
    streamlit = altered if without else ["streamlit"]
    return [sys.executable, "-m", *streamlit, "run", "app.py", f"--server.port={port}"]


@contextmanager
def serving(folder: Path, without: Sequence[str] = (), **settings: str) -> Iterator[Server]:
    server = Server(folder, settings, without)
    with server.running():
        yield server


def wait(process: subprocess.Popen[bytes], port: int, log: Path | None = None) -> None:
    """Wait until a process listens; the error is what it has written, where there is a log."""

    def listens() -> bool:
        if process.poll() is not None:
            raise RuntimeError(log.read_text() if log else f"{process.args} has ended")
        with socket.socket() as probe:
            return probe.connect_ex((HOST, port)) == 0

    wait_until(listens)


def routes(**settings: str) -> set[str]:
    """The path of every route of the app, as its own router lists them; parameters are ``x``."""
    text = run_fresh(LIST_ROUTES, environment(data_folder="unused", **settings))
    return set(json.loads(text.splitlines()[-1]))
