"""Every test has one torch thread, as a worker of the CPU pool has; none leaves a file behind.

Two threads on a busy machine wait for each other at every small operation, up to fifty times as
long as the operation takes. The environment is read when torch is imported, here and in children.
"""

import gc
import os
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from playground import compute
from playground.checkpoints import load as loading
from playground.compute.worker_process import THREAD_LIMITS
from playground.sandbox import jail
from playground.sandbox.jail import landlock_seccomp

ROOT = Path(__file__).resolve().parents[1]
FULL_AFTER = 100  # collections of the middle generation, as in ui/startup.py

os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
with suppress(ImportError):  # tests of a GPU may run where there is only torch
    import hypothesis

    hypothesis.settings.register_profile(
        "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("untimed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector skip all that is collected: some tests call it again and again.

    Afterwards it looks through all that is alive as rarely as in the server.
    """
    gc.disable()
    found = yield
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], FULL_AFTER)
    gc.enable()
    return found


@pytest.fixture(scope="session")
def anyio_backend():
    """The loop of the tests that are coroutines, marked ``anyio``: the server's."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left():
    """Fail where a shown program writes into the project's folder, not into its test's."""
    before = visible()
    yield
    assert visible() - before == set(), "a test wrote into the project's folder"


def visible() -> set[str]:
    """The names in the project's folder, but for those of tools."""
    return {path.name for path in ROOT.iterdir() if path.name[0] not in "._"}


@pytest.fixture(scope="session", autouse=True)
def seeds_leave_no_stack():
    """Spare torch the texts of the stack, which it makes at each ``manual_seed``.

    They would be told with an error of that seed on the first GPU that is used, and nowhere else.
    """
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("cuda", "mtia", "xpu"):
            if module := sys.modules.get(f"torch.{kind}"):
                patch.setattr(module, "traceback", SimpleNamespace(format_stack=list))
        yield


@pytest.fixture(scope="session", autouse=True)
def runs_of_pages_are_awaited():
    """Wait for the thread of a page; AppTest would ask a thousand times a second for its end."""
    runner = sys.modules.get("streamlit.testing.v1.local_script_runner")
    if runner is None:
        yield
        return
    ask = runner.require_widgets_deltas

    def wait(run: Any, timeout: float = 3) -> None:
        run._script_thread.join(timeout)
        if not run.script_stopped():
            ask(run, 0)  # which ends the run and says so

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session")
def open_jail():
    """The jail of the web process, one for all tests of a worker: it takes seconds to start.

    Skips where the system cannot have a jail; where it can, a jail that does not hold fails.
    """
    if sys.platform != "linux":
        pytest.skip("the jail needs Linux")
    if landlock_seccomp.landlock_version() == 0:
        pytest.skip("this kernel has no Landlock")
    found = jail.preflight()
    assert found.ok, found
    yield
    jail.stop()


@pytest.fixture
def jailed(open_jail, monkeypatch):
    """Lets ``load`` use the jail, also where the other tests of a folder have none."""
    monkeypatch.setattr(loading, "jail", jail)
    return jail


@pytest.fixture
def inline():
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield
