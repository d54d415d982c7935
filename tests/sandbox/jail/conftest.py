import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from playground.sandbox.jail import Jail, JailAnswer, landlock_seccomp
from playground.sandbox.jail.zygote_process import ZygoteProcess
from tests.sandbox.conftest import PATIENT

TASKS = {
    "self_test": "playground.sandbox.jail.self_test_task:self_test",
    "raw": "tests.sandbox.jail.raw_task:execute",
}
SECRET = "9f3c5ab1-secret"


@pytest.fixture(scope="session")
def needs_kernel():
    """Skips where the system cannot have a jail; where it can, a jail that does not hold fails."""
    if sys.platform != "linux":
        pytest.skip("the jail needs Linux")
    if landlock_seccomp.landlock_version() == 0:
        pytest.skip("this kernel has no Landlock")


@pytest.fixture(scope="session")
def jail(needs_kernel):
    made = Jail(TASKS)
    found = made.preflight()
    assert found, found
    assert found.ok
    assert found.is_jailed
    yield made
    made.stop()


def run(jail: Jail, source: str, names=(), **options) -> JailAnswer:
    """Run a program that nothing has checked."""
    arguments = {"source": source, "names": dict(names)}
    return jail.run("raw", arguments, **{"limits": PATIENT, **options})


def assert_next_run_works(jail: Jail) -> None:
    assert run(jail, "result = torch.arange(5).sum().item()").value == {"result": 10}


@contextmanager
def started_zygote(**tasks: str) -> Iterator[ZygoteProcess]:
    """A zygote of these tasks of the modules beside this one."""
    made = ZygoteProcess({name: f"tests.sandbox.jail.{home}" for name, home in tasks.items()})
    try:
        made.wait_until_ready()
        yield made
    finally:
        made.end()


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def state_of(pid: int) -> str:
    """Return the kernel's state of a process: S while it sleeps, Z or nothing after its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_alive(pid: int) -> bool:
    return state_of(pid) not in ("", "Z", "X")


@dataclass(frozen=True)
class World:
    """Targets of an attacker, which the tests look at afterwards."""

    folder: Path  # anybody may write there
    secret: Path  # anybody may read it
    listener: socket.socket
    receiver: socket.socket

    @property
    def names(self) -> dict[str, str | int]:
        return {
            "folder": str(self.folder),
            "secret": str(self.secret),
            "port": self.listener.getsockname()[1],
            "udp_port": self.receiver.getsockname()[1],
        }

    def assert_untouched(self) -> None:
        assert [path.name for path in self.folder.iterdir()] == ["secret"]
        assert self.secret.read_text() == SECRET
        assert self.secret.stat().st_mode & 0o777 == 0o666
        with pytest.raises(BlockingIOError):
            self.listener.accept()
        with pytest.raises(BlockingIOError):
            self.receiver.recv(1)


@pytest.fixture
def world():
    with (
        tempfile.TemporaryDirectory() as name,
        socket.socket() as listener,
        socket.socket(type=socket.SOCK_DGRAM) as receiver,
    ):
        folder, secret = Path(name), Path(name, "secret")
        folder.chmod(0o777)
        secret.write_text(SECRET)
        secret.chmod(0o666)
        for end in (listener, receiver):
            end.bind(("127.0.0.1", 0))
            end.setblocking(False)
        listener.listen()
        yield World(folder, secret, listener, receiver)
