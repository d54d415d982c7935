"""SIGTERM ends the server whatever its visitors do, and leaves no process behind."""

import json
import socket
from pathlib import Path

import psutil

from tests.hosting.browser import FORM, Browser, session_of
from tests.hosting.server import HOST, Server, serving
from tests.waiting import wait_until


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def begin_upload(server: Server, session: str) -> socket.socket:
    """An upload that says how long it is, and then nothing."""
    browser = Browser(server)
    headers = {"host": f"{HOST}:{server.port}", "content-length": "100000", **FORM}
    headers |= browser.token_headers() | browser.headers
    head = [f"PUT /_stcore/upload_file/{session}/f HTTP/1.1"]
    head += [f"{name}: {text}" for name, text in headers.items()]
    upload = socket.create_connection((HOST, server.port))
    upload.sendall("\r\n".join((*head, "", "")).encode())
    return upload


def test_no_visitor_holds_up_the_end_and_nothing_is_left_running(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(log, data_folder=str(tmp_path), log_format="json") as server:
        server.wait_until_ready()
        assert server.process is not None
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert children
        with server.connect() as tab, begin_upload(server, session_of(tab)) as upload:
            upload.settimeout(1)
            try:
                answer = upload.recv(1)
            except TimeoutError:
                answer = b""  # it is being waited for
            assert answer == b""
            server.stop(60.0)  # the upload itself may take five minutes

    wait_until(lambda: not any(map(is_alive, children)))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    logged = [each["message"] for each in lines]
    assert logged[0] == f"the server starts at {server.url}; its gate is open"
    assert logged[-1] == "the server has stopped"
