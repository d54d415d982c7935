"""A PostgreSQL server for the tests, where the system has one: a process of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from benchmarks.server import free_port
from tests.waiting import MAX_SECONDS, wait_until

DEBIANS = Path("/usr/lib/postgresql")  # has a folder for each version, on nobody's path
START_SECONDS = MAX_SECONDS
NAME = "postgres"  # of the user whom Debian's package makes, and of the first database
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=40")


def programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``; None where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(DEBIANS.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


def _user() -> str | None:
    """Whose process it is: ``postgres`` refuses to be root's."""
    if os.geteuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return NAME if NAME in names else "nobody"


@contextmanager
def running(folder: Path) -> Iterator[URL]:
    """A new server, ended by its own id.

    Args:
        folder: Of its programs.
    """
    user = _user()
    with tempfile.TemporaryDirectory(prefix="postgresql-") as home:
        data = Path(home) / "data"
        if user is not None:
            shutil.chown(home, user)
        subprocess.run(
            [folder / "initdb", "-D", data, "-U", NAME, "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=home,
            user=user,
            timeout=START_SECONDS,
        )
        port = free_port()
        options = ("listen_addresses=127.0.0.1", "unix_socket_directories=", *QUICK)
        command: list[str | Path] = [folder / "postgres", "-D", data, "-p", str(port)]
        for option in options:
            command += ["-c", option]
        server = subprocess.Popen(
            command, cwd=home, user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait(server, port)
            yield URL.create(
                "postgresql+psycopg", username=NAME, host="127.0.0.1", port=port, database=NAME
            )
        finally:
            server.terminate()
            server.wait(START_SECONDS)


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    import psycopg

    def answers() -> bool:
        assert server.poll() is None, "PostgreSQL did not start"
        try:
            psycopg.connect(f"host=127.0.0.1 port={port} user={NAME} dbname={NAME}").close()
        except psycopg.OperationalError:
            return False
        return True

    wait_until(answers)
