"""Reads a small form that a stranger has sent."""

import asyncio
from urllib.parse import parse_qs

from starlette.types import Receive

MOST_BYTES = 4_096
MOST_SECONDS = 10.0


async def read(receive: Receive) -> dict[str, str] | None:
    """The fields of a form; None where it is too large, too slow, or broken off."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            body = await _body(receive)
    except TimeoutError:
        return None
    if body is None:
        return None
    fields = parse_qs(body.decode("utf-8", "replace"))
    return {name: values[-1] for name, values in fields.items()}


async def _body(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)
