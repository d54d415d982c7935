"""A real OpenID Connect provider on loopback, and the people whom it knows."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.hosting.server import HOST, free_port

START_SECONDS = 60.0


@contextmanager
def provider(people: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Its address; ended by its own id.

    Args:
        people: What the provider says of each, by the name that they sign in with.
    """
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "-p", str(port)]
    for name, claims in people.items():
        command += ["--user-claims", json.dumps({"sub": name, **claims})]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        _wait(process, port)
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the provider has ended"
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("the provider does not listen")
