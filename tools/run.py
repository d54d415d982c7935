"""Start the playground, and open it in a browser where there is a display.

``python -m tools.run``; what follows is for ``streamlit run``, e.g. ``--server.port=8600``.
``server.headless=false`` would open one as well, but Streamlit then also shows, on every page, an
offer to install skills for coding agents.
"""

import os
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping

from streamlit.web.cli import main as streamlit

from hosting import framework_internals

POLL_SECONDS = 0.1


def main() -> None:
    """Run the server in this process until it is ended."""
    if has_display(os.environ, sys.platform):
        threading.Thread(target=_open_browser, name="browser", daemon=True).start()
    sys.argv = ["streamlit", "run", "app.py", *sys.argv[1:]]
    streamlit()


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser would open before the eyes of who started this process.

    >>> has_display({"DISPLAY": ":0"}, "linux"), has_display({}, "linux"), has_display({}, "darwin")
    (True, False, True)
    """
    if "SSH_CONNECTION" in environment:  # the display, if there is one, is at the other end
        return False
    given = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return platform in ("darwin", "win32") or bool(given)


def _open_browser() -> None:
    """Wait until the server listens."""
    while not ((server := framework_internals.running_server()) and server.started):
        time.sleep(POLL_SECONDS)
    webbrowser.open(framework_internals.server_url())


if __name__ == "__main__":
    main()
