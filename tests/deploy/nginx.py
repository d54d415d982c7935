"""nginx with the shipped configuration, on loopback, with a certificate of its own."""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.hosting.server import GATED, HOST, ROOT, STREAM, Address, free_port, wait

SCRIPTS = ROOT / "deploy" / "nginx"
NAME = "playground.test"
BEHIND = {**GATED, "public_address": f"https://{NAME}"}  # settings of a replica
START_SECONDS, ANSWER_SECONDS = 120.0, 120.0


def program() -> str:
    """Return the path of nginx; skip where it is not installed."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("nginx is not installed: sh tools/ensure_nginx.sh")
    return found


class Proxy(Address):
    """The proxy before the server: https at ``port``, http at ``plain_port``."""

    def __init__(self, folder: Path) -> None:
        self.port, self.plain_port = free_port(), free_port()
        self.url = f"https://{NAME}:{self.port}"
        self.log = folder / "playground.log"
        self.certificate = folder / "fullchain.pem"

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))

    def open(self, source: str) -> http.client.HTTPConnection:
        return _Connection(self, source)

    def connect(self, headers: dict[str, str] | None = None) -> ClientConnection:
        return connect(
            f"wss://{NAME}:{self.port}{STREAM}",
            sock=socket.create_connection((HOST, self.port), timeout=300),
            ssl=self.trust,
            subprotocols=[Subprotocol("streamlit")],
            additional_headers=headers or {},
            max_size=None,
            open_timeout=300,
            proxy=None,
        )


class _Connection(http.client.HTTPSConnection):
    def __init__(self, proxy: Proxy, source: str) -> None:
        super().__init__(NAME, proxy.port, timeout=ANSWER_SECONDS, context=proxy.trust)
        self._proxy = proxy
        self._from = source

    def connect(self) -> None:
        plain = socket.create_connection((HOST, self._proxy.port), ANSWER_SECONDS, (self._from, 0))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._proxy.trust.wrap_socket(plain, server_hostname=NAME)


def write_configuration(folder: Path, proxy: Proxy, ports: list[int]) -> Path:
    """Return configure.sh's configuration; the folder holds everything that nginx writes."""
    places = ("CERTIFICATE", "CONF", "LOG", "RUN", "TEMP", "ACME")
    variables = {f"{place}_FOLDER": str(folder) for place in places} | {
        "SERVER_NAME": NAME,
        "REPLICAS": " ".join(f"{HOST}:{port}" for port in ports),
        "LISTEN": f"{HOST}:",
        "HTTP_PORT": str(proxy.plain_port),
        "HTTPS_PORT": str(proxy.port),
        "NGINX_USER": "root" if os.geteuid() == 0 else "",
    }
    for command in (["self_signed.sh", NAME, str(folder)], ["configure.sh"]):
        script = [str(SCRIPTS / command[0]), *command[1:]]
        env = {**os.environ, **variables}
        subprocess.run(script, env=env, check=True, timeout=START_SECONDS)
    return folder / "nginx.conf"


@contextmanager
def proxied(folder: Path, ports: list[int]) -> Iterator[Proxy]:
    """A running nginx in front of replicas; ended by its own id."""
    nginx, proxy = program(), Proxy(folder)
    written = write_configuration(folder, proxy, ports)
    command = [nginx, "-c", str(written), "-g", "daemon off;"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        wait(process, proxy.port)
        yield proxy
    finally:
        process.terminate()
        process.wait(START_SECONDS)
