"""The live poll's check that the script of every page makes."""

import asyncio
import json
import random
from collections.abc import Mapping
from typing import Any

from benchmarks.server import HOST

LIVE_SECONDS, IDLE_SECONDS = 2.0, 4.0  # as in ui/assets/page.js
OK = 200


class Banner:
    """Asks over one connection, again and again, as a browser's tab does.

    Args:
        port: Of the server.
        headers: The cookies.
        chance: Varies the pauses.
    """

    def __init__(self, port: int, headers: Mapping[str, str], chance: random.Random) -> None:
        self._port = port
        lines = [f"{name}: {text}" for name, text in headers.items()]
        head = ["GET /api/poll?lang=en HTTP/1.1", f"Host: {HOST}:{port}", *lines, "", ""]
        self._request = "\r\n".join(head).encode()
        self._chance = chance
        self.latest: dict[str, Any] | None = None

    @property
    def poll(self) -> str:
        """The id of the poll that can be answered; empty without one."""
        is_asked = self.latest and self.latest["here"]
        return str(self.latest["phase"]).split()[0] if self.latest and is_asked else ""

    async def ask(self) -> None:
        """Ask now, over a connection of its own."""
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            writer.write(self._request)
            self.latest = await _answer(reader)
        finally:
            writer.close()

    async def follow(self) -> None:
        """Ask until the task is cancelled; reconnect where the server has closed the connection."""
        while True:
            try:
                reader, writer = await asyncio.open_connection(HOST, self._port)
                try:
                    while True:
                        writer.write(self._request)
                        self.latest = await _answer(reader)
                        pause = LIVE_SECONDS if self.latest else IDLE_SECONDS
                        await asyncio.sleep(pause * self._chance.uniform(0.8, 1.2))
                finally:
                    writer.close()
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(IDLE_SECONDS)


async def _answer(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
    lengths = [line.split(":")[1] for line in head if line.startswith("content-length:")]
    body = await reader.readexactly(int(lengths[0])) if lengths else b""
    found: dict[str, Any] | None = json.loads(body) if int(head[0].split()[1]) == OK else None
    return found
