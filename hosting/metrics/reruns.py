"""Times the reruns of a session, by what goes through its websocket."""

import time
from collections.abc import Callable

from google.protobuf.message import DecodeError
from prometheus_client import Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from hosting.metrics.times import RERUNS

LONGEST_END = 256  # bytes; the message that ends a run is smaller, and no other one is parsed
ENDS = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)


class RerunClock:
    """Measures from the click to the end of the run that answers it.

    Args:
        app: What stands behind.
        times: Where the times go.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        times: Histogram = RERUNS,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._app = app
        self._times = times
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Listen to websockets; pass everything else on."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        clicked: list[float] = []

        async def listen() -> Message:
            message = await receive()
            if not clicked and _is_click(message.get("bytes") or b""):
                clicked.append(self._clock())
            return message

        async def speak(message: Message) -> None:
            await send(message)
            if clicked and _is_end(message.get("bytes") or b""):
                self._times.observe(self._clock() - clicked.pop())

        await self._app(scope, listen, speak)


def _is_click(data: bytes) -> bool:
    asked = BackMsg()
    try:
        asked.ParseFromString(data)
    except DecodeError:
        return False
    return asked.WhichOneof("type") == "rerun_script"


def _is_end(data: bytes) -> bool:
    if not 0 < len(data) <= LONGEST_END:
        return False
    told = ForwardMsg()
    try:
        told.ParseFromString(data)
    except DecodeError:
        return False
    return told.WhichOneof("type") == "script_finished" and told.script_finished in ENDS
