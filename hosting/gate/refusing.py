"""What all gates have in common: what stays open, and how they say no."""

from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from hosting.gate import page
from hosting.words import say

OPEN = ("/api/health", "/api/metrics")  # the one says "ok" and no more, the other wants its token
READING = ("GET", "HEAD")
POLICY = 1008  # close code


def is_open(scope: Scope) -> bool:
    """Whether a stranger may ask for this."""
    return scope["type"] == "http" and scope["path"] in OPEN and scope["method"] in READING


def wants_page(scope: Scope) -> bool:
    """Whether a browser asks for something to show to its visitor."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope["method"] in READING and "text/html" in accepts


def asked_of(scope: Scope) -> str:
    """The address that was asked for, to come back to it."""
    query = scope["query_string"].decode("latin-1")
    return page.safe_address(quote(scope["path"]) + (f"?{query}" if query else ""))


def onward_of(scope: Scope) -> str:
    """The address that the door was told to lead to."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return page.safe_address(query.get("next", [page.HOME])[-1])


def closed(language: str) -> PlainTextResponse:
    """What is answered to anything but a page."""
    return PlainTextResponse(say("door.closed", language), 401, {"cache-control": "no-store"})


async def refuse_websocket(receive: Receive, send: Send) -> None:
    """Close a websocket before it is open; the client sees 403."""
    await receive()
    await send({"type": "websocket.close", "code": POLICY})
