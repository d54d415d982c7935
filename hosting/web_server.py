"""The uvicorn that Streamlit started in this process."""

import signal

from streamlit import config
from uvicorn import Server

EVERY_ADDRESS = ("", "0.0.0.0", "::")


def current() -> Server | None:
    """The server itself, which waits for SIGTERM; None where something else runs the app."""
    waits = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return waits if isinstance(waits, Server) else None


def host() -> str:
    """The host that the server listens on, e.g. ``127.0.0.1``; empty where it is every one."""
    server = current()
    return server.config.host if server else str(config.get_option("server.address") or "")


def url() -> str:
    """Where a browser on this computer finds the server; empty where that is not known."""
    server = current()
    if server is None:
        return ""
    chosen = server.config
    name = "localhost" if chosen.host in EVERY_ADDRESS else chosen.host
    name = f"[{name}]" if ":" in name else name
    return f"{'https' if chosen.is_ssl else 'http'}://{name}:{chosen.port}"
