"""The uvicorn that Streamlit started in this process."""

import signal

from uvicorn import Server


def current() -> Server | None:
    """The server itself, which waits for SIGTERM; None where something else runs the app."""
    waits = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return waits if isinstance(waits, Server) else None
