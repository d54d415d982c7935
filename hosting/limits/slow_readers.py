"""A browser that reads more slowly than it is written to; knows Streamlit's insides.

Streamlit 1.67 keeps 500 messages for a browser. Where they are not enough it gives the browser up,
but leaves the connection open: the page would stay as it is, and every click would go nowhere. So
the connection is closed. The browser then comes back by itself, and finds its session as it was.
"""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.web.server.starlette import starlette_websocket
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

if TYPE_CHECKING:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TRY_AGAIN = 1013  # close code


class PatientClient(StarletteSessionClient):
    """A browser's end of a session, which is closed once it has been given up."""

    _closing: "asyncio.Task[None] | None" = None

    def write_forward_msg(self, msg: "ForwardMsg") -> None:
        """Queue a message.

        Raises:
            SessionClientDisconnectedError: The browser is gone, or too far behind.
        """
        try:
            super().write_forward_msg(msg)
        except SessionClientDisconnectedError:
            if self._closing is None and not self._sender_task.done():
                self._closing = asyncio.get_running_loop().create_task(self._hang_up())
            raise

    async def _hang_up(self) -> None:
        self._sender_task.cancel()
        with suppress(asyncio.CancelledError):
            await self._sender_task
        with suppress(RuntimeError, OSError):  # closed meanwhile
            await self._websocket.close(TRY_AGAIN)


def hang_up() -> None:
    """From now on close the connections of those who are too far behind."""
    starlette_websocket.StarletteSessionClient = PatientClient  # type: ignore[misc]
