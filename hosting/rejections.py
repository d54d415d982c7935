"""The answers with which the gate and the limits reject a request, and what is never rejected."""

import html
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import Receive, Scope, Send

from hosting.gate import login_page
from hosting.words import say

PUBLIC_PATHS = ("/api/health", "/api/metrics")  # "ok" and no more; metrics want their token
READ_METHODS = ("GET", "HEAD")
POLICY_VIOLATION = 1008  # WebSocket close code
NO_STORE = {"cache-control": "no-store"}


def is_public(scope: Scope) -> bool:
    """Return whether a request is answered without the gate."""
    is_read = scope["type"] == "http" and scope["method"] in READ_METHODS
    return is_read and scope["path"] in PUBLIC_PATHS


def wants_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page to show to its visitor."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope["method"] in READ_METHODS and "text/html" in accepts


def requested_url(scope: Scope) -> str:
    """Return the URL of a request, to come back to it."""
    query = scope["query_string"].decode("latin-1")
    return login_page.safe_url(quote(scope["path"]) + (f"?{query}" if query else ""))


def next_url(scope: Scope) -> str:
    """Return the URL that the login page leads to (``?next=``)."""
    query = parse_qs(scope["query_string"].decode("latin-1"))
    return login_page.safe_url(query.get("next", [login_page.HOME])[-1])


def unauthorized(language: str) -> PlainTextResponse:
    """Return the answer of a closed gate to everything but a page."""
    return PlainTextResponse(say("login.closed", language), 401, NO_STORE)


async def reject_websocket(receive: Receive, send: Send) -> None:
    """Close a WebSocket before it is open; the client sees status 403."""
    await receive()
    await send({"type": "websocket.close", "code": POLICY_VIOLATION})


def full_page(name: str, language: str, wanted: str, *, most: int, seconds: int) -> HTMLResponse:
    """Return the page that is shown if no further page can be opened.

    Args:
        name: Of the sentence, below ``limits``.
        language: Of the page.
        wanted: The URL that the visitor asked for.
        most: How many pages may be open.
        seconds: When to try again.
    """
    sentence = html.escape(say(f"limits.{name}", language, most=most))
    again = html.escape(say("limits.try-again", language))
    body = f"""<p role="alert">{sentence}</p>
<a class="button" href="{html.escape(wanted)}">{again}</a>"""
    switch = _in_language(wanted, login_page.other_language(language))
    answer = login_page.page(language, wanted, body, 503, switch=switch)
    answer.headers["retry-after"] = str(seconds)
    return answer


def plain_sentence(
    name: str, language: str, *, status: int, seconds: int = 0, **values: object
) -> PlainTextResponse:
    """Return a rejection of one sentence.

    Args:
        name: Of the sentence, below ``limits``.
        language: Of the sentence.
        status: The HTTP status.
        seconds: When to try again; 0 if that is not known.
        values: The placeholders of the sentence.
    """
    again = {"retry-after": str(seconds)} if seconds else {}
    text = say(f"limits.{name}", language, seconds=seconds, **values)
    return PlainTextResponse(text, status, {**NO_STORE, **again})


def _in_language(url: str, language: str) -> str:
    """Return the same URL in another language.

    >>> _in_language("/tensors?lang=en&step=moving", "zh")
    '/tensors?step=moving&lang=zh'
    """
    path, _, query = url.partition("?")
    others = [pair for pair in query.split("&") if pair and not pair.startswith("lang=")]
    return f"{path}?{'&'.join([*others, f'lang={language}'])}"
