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
from streamlit.testing.v1 import local_script_runner

from hosting import progress
from hosting.settings import Gate
from hosting.settings import Settings as HostingSettings
from playground import compute
from playground.checkpoints import load
from playground.compute import runner
from playground.compute.cache import cache_key
from playground.compute.settings import Settings
from playground.compute.status import ComputeStatus, PoolStatus
from playground.errors import SandboxClosedError
from playground.machines import nvml
from playground.sandbox import jail
from playground.sandbox.jail import SelfTestResult
from tests.pages.gated import ADA, SOON
from ui import visitor

SCRIPTS = ScriptCache()
REPORTS: dict[Hashable, bytes] = {}


class ClosedJail:
    def run(self, *_: Any, **__: Any) -> Any:
        raise SandboxClosedError("sandbox_closed")


@pytest.fixture(scope="session", autouse=True)
def packages_are_looked_through_once():
    """Look for installed components once, as a server does; each AppTest would look again."""
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_browser_is_missed():
    """Have Streamlit not write, thousands of times, that a page's part runs without a browser."""
    logger = logging.getLogger(script_run_context.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logger, "disabled", True)
        yield


@pytest.fixture(scope="module", autouse=True)
def scripts_are_compiled_once():
    """Compile a page once, as a server does; each run of an AppTest would compile it again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "ScriptCache", lambda: SCRIPTS)
        yield


@pytest.fixture(scope="module", autouse=True)
def reports_are_kept():
    """Answer equal settings from a cache, as a server does, also where experiments run inline."""
    run = runner.run_inline

    def recall(settings: Settings[Any], report: Callable[[Any], None] | None = None) -> Any:
        if report is not None or not settings.deterministic:
            return run(settings, report)
        key = cache_key(settings)
        if key not in REPORTS:
            REPORTS[key] = pickle.dumps(run(settings))
        return pickle.loads(REPORTS[key])  # noqa: S301 - written on the line before

    with pytest.MonkeyPatch.context() as patch:
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
    known: dict[str, Any] = {}
    begin, keep = PagesManager.__init__, PagesManager.set_pages_and_resolve

    def remember(self: PagesManager, pages: dict[str, Any], *args: Any, **more: Any) -> object:
        known.update(pages)
        return keep(self, pages, *args, **more)

    def recall(self: PagesManager, *args: Any, **more: Any) -> None:
        begin(self, *args, **more)
        if known:
            self._pages = dict(known)

    monkeypatch.setattr(PagesManager, "__init__", recall)
    monkeypatch.setattr(PagesManager, "set_pages_and_resolve", remember)


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
    """What a server with a class code has."""
    progress.start(HostingSettings(gate=Gate.CODE, class_code="tensor", data_folder=tmp_path))
    running = progress.current()
    assert running is not None
    assert running.wait_until_written(SOON)
    yield running
    progress.stop()


@pytest.fixture
def who(monkeypatch):
    asking: dict[str, visitor.Visitor | None] = {"it": ADA}
    monkeypatch.setattr(visitor, "current", lambda: asking["it"])
    return asking
