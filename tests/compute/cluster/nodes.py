"""A real Ray cluster of this computer; each node is a tree of processes that is killed whole."""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil

from benchmarks.server import free_port

ROOT = Path(__file__).parents[3]
STORE_BYTES = 80 * 2**20
LOOPBACK = "127.0.0.2"  # Ray puts the network's address in the place of 127.0.0.1
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "RAY_AUTH_MODE": "token",  # Ray listens on more than loopback: nobody else may use it
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "PYTHONUNBUFFERED": "1",  # what Ray prints is read at once
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "3",  # a lost head is noticed sooner
    "RAY_health_check_timeout_ms": "120000",  # on a busy computer a node that answers late is well
    "RAY_worker_register_timeout_seconds": "300",  # and a worker that starts slowly is not replaced
}


class Node:
    """One node, started by Ray's own command."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", *words]
        fixed = [f"--node-ip-address={LOOPBACK}", f"--object-store-memory={STORE_BYTES}"]
        fixed += ["--include-log-monitor=false"]  # nobody reads here what it would send
        self._started = psutil.Popen(
            [*command, *fixed],
            env=os.environ | ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def processes(self) -> list[psutil.Process]:
        try:
            return [*self._started.children(recursive=True), self._started]
        except psutil.NoSuchProcess:
            return []

    def starts(self) -> bool:
        """Wait until all of the node's processes run, or it has ended; return which."""
        return any("Ray runtime started" in line for line in self._started.stdout)

    def has(self, pid: int) -> bool:
        return any(process.pid == pid for process in self.processes())

    def kill(self) -> None:
        """End all its processes at once, as a loss of power does."""
        known = self.processes()
        for process in known:
            with suppress(psutil.NoSuchProcess):  # Ray's own processes come and go
                process.suspend()  # none may start another one meanwhile
        for process in {*known, *self.processes()}:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(known, timeout=30)
        self._started.wait(30)
        self._started.stdout.close()


class LocalCluster:
    """The nodes together; all end with the ``with``."""

    def __init__(self) -> None:
        self._port = free_port(LOOPBACK)
        self._folders: list[str] = []
        self._nodes: list[Node] = []
        self.address = f"{LOOPBACK}:{self._port}"

    def start_head(self, *, cpus: int, gpus: int = 0) -> Node:
        self._folders.append(tempfile.mkdtemp(prefix="ray"))  # short: it names sockets
        words = (f"--port={self._port}", f"--temp-dir={self._folders[-1]}")
        without = ("--include-dashboard=false", "--no-monitor")  # which would buy computers
        return self._start("--head", *words, *without, cpus=cpus, gpus=gpus)

    def start_node(self, *, cpus: int) -> Node:
        return self._start(f"--address={self.address}", cpus=cpus, gpus=0)

    def _start(self, *words: str, cpus: int, gpus: int) -> Node:
        while True:  # Ray ends where a port that it has drawn is taken, or a part starts too late
            self._nodes.append(Node(*words, f"--num-cpus={cpus}", f"--num-gpus={gpus}"))
            if self._nodes[-1].starts():
                return self._nodes[-1]
            self._nodes[-1].kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for node in self._nodes:
            node.kill()
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)
