import logging
import pickle
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import app_test, local_script_runner

from hosting import progress
from hosting.settings import Gate
from hosting.settings import Settings as HostingSettings
from playground import compute, sandbox
from playground.checkpoints import load
from playground.compute import runner
from playground.compute.cache import cache_key
from playground.compute.settings import Settings
from playground.compute.status import ComputeStatus, PoolStatus
from playground.errors import PlaygroundError, SandboxClosedError
from playground.machines import Machine, nvml
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from playground.sandbox.report import SandboxReport
from tests.pages.gated import ADA, SOON
from ui import visitor
from ui.lab import clinic

SCRIPTS = ScriptCache()
REPORTS: dict[Hashable, bytes] = {}


class ClosedJail:
    error: PlaygroundError = SandboxClosedError("sandbox_closed")

    def run(self, *_: Any, **__: Any) -> Any:
        raise self.error


class Stand:
    """Stands in for the sandbox: notes what it is asked to run, answers what it was told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Machine]] = []
        self.options: list[dict[str, Any]] = []
        self.will_say()

    def will_say(self, *, ok: bool = True, **more: Any) -> None:
        self.answer: Callable[[str], SandboxReport] = lambda _: SandboxReport(ok=ok, **more)

    def run(self, source: str, machine: Machine, **options: Any) -> SandboxReport:
        self.asked.append((source, machine))
        self.options.append(options)
        return self.answer(source)


@pytest.fixture(scope="session", autouse=True)
def packages_are_looked_through_once():
    """Look for installed components once, as a server does; each AppTest would look again."""
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture(scope="module", autouse=True)
def pages_are_drawn_as_by_a_server():
    """Compile a page once, and answer equal settings from a cache, also of inline experiments.

    Streamlit does not write, thousands of times, that a page's part runs without a browser.
    """
    run = runner.run_inline

    def recall(settings: Settings[Any], report: Callable[[Any], None] | None = None) -> Any:
        if report is not None or not settings.deterministic:
            return run(settings, report)
        key = cache_key(settings)
        if key not in REPORTS:
            REPORTS[key] = pickle.dumps(run(settings))
        return pickle.loads(REPORTS[key])  # noqa: S301 - written on the line before

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging.getLogger(script_run_context.__name__), "disabled", True)
        patch.setattr(local_script_runner, "ScriptCache", lambda: SCRIPTS)
        patch.setattr(runner, "run_inline", recall)
        yield


@pytest.fixture(autouse=True)
def no_jail(monkeypatch):
    """Start no jail for a page; a test that wants one asks for it."""
    monkeypatch.setattr(load, "jail", ClosedJail())


@pytest.fixture(autouse=True)
def pages_stay_known(monkeypatch):
    """Keep the pages of ``st.navigation`` between two runs, as a session of a server does.

    AppTest makes a new manager for each run. A run of some cards alone does not pass the router,
    and ``st.page_link`` in a card would find no page.
    """
    made = cache(PagesManager)
    monkeypatch.setattr(app_test, "PagesManager", lambda script, *_, **__: made(script, SCRIPTS))


@pytest.fixture
def stand(monkeypatch):
    """Runs programs of the lab in no sandbox."""
    standing = Stand()
    monkeypatch.setattr(sandbox, "run", standing.run)
    monkeypatch.setattr(jail, "preflight", lambda: SelfTestResult(ok=True))
    monkeypatch.setattr(clinic, "draw", lambda _: None)  # another program every day
    return standing


@pytest.fixture
def class_server(monkeypatch):
    pool = PoolStatus(
        name="cpu", workers=4, is_ready=True, waiting=3, running=2, crashes=1, timeouts=5
    )
    monkeypatch.setattr(jail, "found", lambda: SelfTestResult(ok=True))
    monkeypatch.setattr(nvml, "read_driver", lambda: None)
    with compute.running_inline():
        monkeypatch.setattr(compute, "status", lambda: ComputeStatus(pools=(pool,)))
        yield


@pytest.fixture
def writer(tmp_path):
    """The progress writer of a server with a class code."""
    progress.start(HostingSettings(gate=Gate.CODE, class_code="tensor", data_folder=tmp_path))
    running = progress.current()
    assert running is not None
    assert running.wait_until_written(SOON)
    yield running
    progress.stop()


@pytest.fixture
def teacher(monkeypatch):
    """The visitor is a teacher."""
    monkeypatch.setattr(visitor, "is_teacher", lambda: True)


@pytest.fixture
def who(monkeypatch):
    asking: dict[str, visitor.Visitor | None] = {"it": ADA}
    monkeypatch.setattr(visitor, "current", lambda: asking["it"])
    return asking
