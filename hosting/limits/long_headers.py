"""Requests whose cookies are long: an identity provider may say much about somebody.

All cookies travel in one line. websockets 17 takes no line above 8 KiB and answers nothing, so the
page of a student who belongs to many groups would stay empty; uvicorn's h11 takes 16 KiB together.
"""

import logging

from websockets import http11

from hosting import web_server

MOST = 65_536  # bytes of all headers of a request; nginx takes 32 KiB a line
_log = logging.getLogger(__name__)


def take() -> None:
    """From now on take requests with headers up to ``MOST``."""
    http11.MAX_LINE_LENGTH = MOST
    server = web_server.current()
    if server is not None:
        server.config.h11_max_incomplete_event_size = MOST
    else:
        _log.warning("this server may refuse visitors whose identity provider says much")
