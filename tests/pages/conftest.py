"""What a server does and AppTest does not."""

from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager

from playground.checkpoints import load
from playground.errors import SandboxClosedError


class ClosedJail:
    """Loads no file, as on a computer without a jail."""

    def run(self, *_: Any, **__: Any) -> Any:
        """Say so."""
        raise SandboxClosedError("sandbox_closed")


@pytest.fixture(autouse=True)
def no_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no jail for a page; a test that wants one asks for it."""
    monkeypatch.setattr(load, "jail", ClosedJail())


@pytest.fixture(autouse=True)
def pages_stay_known(monkeypatch: pytest.MonkeyPatch) -> None:
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
