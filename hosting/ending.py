"""The end of the server: what is on its way gets a few seconds, however slow its visitor is."""

import logging

from hosting import web_server

SECONDS = 3
_log = logging.getLogger(__name__)


def be_brief() -> None:
    """Let no open connection hold up the end of this process.

    Streamlit starts uvicorn without such a limit: one upload that never ends would keep the server
    from writing what it knows until somebody kills it.
    """
    server = web_server.current()
    if server is not None and server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = SECONDS
    else:
        _log.warning("this server may wait at its end for every visitor's connection")
