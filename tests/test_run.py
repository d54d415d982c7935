import os
import subprocess
import sys

import pytest

from tests.hosting.server import HOST, ROOT, Server, free_port, wait
from tests.waiting import MAX_SECONDS, wait_until
from tools.run import has_display


@pytest.mark.parametrize(
    ("environment", "platform", "is_seen"),
    [
        ({}, "linux", False),  # a server, a container, CI
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.7 5 10.0.0.5 22"}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "10.0.0.7 5 10.0.0.5 22"}, "darwin", False),
    ],
)
def test_a_display_counts_where_somebody_sits_before_it(environment, platform, is_seen):
    assert has_display(environment, platform) is is_seen


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_the_browser_gets_the_servers_address_once_it_listens(tmp_path):
    port, opened, browser = free_port(), tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}.part"; mv "{opened}.part" "{opened}"\n')
    browser.chmod(0o755)
    rest = {name: text for name, text in os.environ.items() if name != "SSH_CONNECTION"}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.run", f"--server.port={port}"],
            cwd=ROOT,
            env={**rest, "BROWSER": str(browser), "DISPLAY": ":0"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        wait(process, port, tmp_path / "log")
        wait_until(opened.exists)
        assert opened.read_text() == f"http://{HOST}:{port}\n"
        assert Server(tmp_path, {}, port=port).ask("GET", "/").status == 200
    finally:
        process.terminate()
        process.wait(MAX_SECONDS)


def test_make_run_starts_it():
    command = ["make", "--dry-run", "--no-print-directory", "run"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines()[-1].endswith("/bin/python -m tools.run")
