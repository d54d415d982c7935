"""The shipped nginx configuration itself, with a stand-in where the playground would be."""

import http.server
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.nginx import Proxy, program, proxied, write_configuration
from tests.hosting.server import HOST


class Behind(http.server.BaseHTTPRequestHandler):
    """Stands in for the playground where only the proxy is looked at."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(303)
        for part in range(8):
            self.send_header("set-cookie", f"part{part}={'x' * 4_000}")
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[Proxy]:
    with http.server.ThreadingHTTPServer((HOST, 0), Behind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxied(tmp_path, [server.server_port]) as started:
            yield started
        server.shutdown()


def test_the_large_headers_of_a_sign_in_pass(stand_in: Proxy) -> None:
    answer = stand_in.ask("GET", "/oauth2callback")

    assert answer.status == 303
    assert sum(line.startswith("part") for line in answer.headers["set-cookie"].splitlines()) == 8


def test_a_class_comes_in_at_once_and_a_flood_does_not(stand_in: Proxy) -> None:
    statuses = stand_in.repeat("POST", "/door", b"code=wrong", until=429, most=5_000)

    assert set(statuses[:-1]) == {204}
    assert statuses[-1] == 429
    assert len(statuses) > 400


def test_the_shipped_configuration_is_valid(tmp_path: Path) -> None:
    written = write_configuration(tmp_path, Proxy(tmp_path), [8501, 8502, 8503])
    checked = subprocess.run(
        [program(), "-t", "-c", str(written)],
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr
    assert "${" not in written.read_text()
