"""A real OpenID Connect provider on loopback, and the people whom it knows."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.hosting.server import HOST, free_port, wait


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
        wait(process, port)
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        process.wait(timeout=300)
