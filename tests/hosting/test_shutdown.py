"""SIGTERM ends the server whatever its visitors do, and leaves no process behind."""

import json
import signal
import socket
import subprocess
from pathlib import Path

import psutil

from tests.hosting.server import HOST, ROOT, Server, command, environment, free_port, wait
from tests.hosting.tab import SOON, session_of
from tests.waiting import wait_until


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def begin_upload(server: Server, session: str) -> socket.socket:
    """An upload that says how long it is, and then nothing."""
    cookie = server.ask("GET", "/_stcore/health").headers["set-cookie"].partition(";")[0]
    head = (
        f"PUT /_stcore/upload_file/{session}/f HTTP/1.1",
        f"Host: {HOST}:{server.port}",
        f"Cookie: {cookie}",
        f"X-Xsrftoken: {cookie.partition('=')[2]}",
        "Content-Type: multipart/form-data; boundary=b",
        "Content-Length: 100000",
    )
    upload = socket.create_connection((HOST, server.port))
    upload.sendall("\r\n".join((*head, "", "")).encode())
    return upload


def test_no_visitor_holds_up_the_end_and_nothing_is_left_running(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "log"
    with log.open("wb") as opened:
        process = subprocess.Popen(
            command(port),
            cwd=ROOT,
            env=environment(data_folder=str(tmp_path), log_format="json"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=opened,
        )
    try:
        wait(process, port, log)
        server = Server(port)
        wait_until(lambda: server.ask("GET", "/api/ready").status == 200)
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        with server.connect() as tab, begin_upload(server, session_of(tab)) as upload:
            upload.settimeout(1)
            try:
                answer = upload.recv(1)
            except TimeoutError:
                answer = b""  # it is being waited for
            assert answer == b""
            process.send_signal(signal.SIGTERM)
            process.wait(SOON)  # the upload itself may take five minutes
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()

    wait_until(lambda: not any(map(is_alive, children)))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    logged = [each["message"] for each in lines]
    assert logged[0] == f"the server starts at http://{HOST}:{port}; its gate is open"
    assert logged[-1] == "the server has stopped"
