"""Security headers of every response, and the addresses that no page has."""

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting import responses
from hosting.requests import language_of

HOME = "home"
PAGES = {each.stem for each in (Path(__file__).parents[1] / "pages").glob("*.py")}

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(embedded_by: Sequence[str] = ()) -> str:
    """Allow this host alone, and the inline script that the installed Streamlit's page carries.

    Styles may be inline: Streamlit writes its theme into the page while it runs. Plotly draws its
    pictures from ``blob:`` and ``data:`` addresses, which never leave the browser.

    Args:
        embedded_by: Other hosts whose pages may show this one in a frame.
    """
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in INLINE_SCRIPT.findall(page)
    )
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {hashes}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            " ".join(("frame-ancestors 'self'", *(f"https://{host}" for host in embedded_by))),
        )
    )


class SecurityHeaders:
    """Pure ASGI middleware that adds the security headers to every HTTP answer.

    Args:
        app: The next application.
        embedded_by: Other hosts whose pages may show this one in a frame.
    """

    def __init__(self, app: ASGIApp, embedded_by: Sequence[str] = ()) -> None:
        self.app = app
        self.headers = [
            (b"content-security-policy", content_security_policy(embedded_by).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
        ]
        if not embedded_by:  # it can name no host
            self.headers.append((b"x-frame-options", b"SAMEORIGIN"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass websockets through; add the headers to everything else."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, send_with_headers)


class UnknownPages:
    """Pure ASGI middleware for addresses that no page has.

    Streamlit answers every address with its frontend, whose scripts then have wrong addresses or
    find no page. Such an address leads to the page that it begins with, or to a page that says so.

    Args:
        app: The next application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace Streamlit's frontend where the address is unknown; pass everything else."""
        instead = other_answer(scope) if scope["type"] == "http" else None
        if instead is None:
            await self.app(scope, receive, send)
            return
        is_replaced = False

        async def send_instead(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                is_replaced = message["status"] == 200 and kind.startswith("text/html")
                if is_replaced:
                    await instead(scope, receive, send)
            if not is_replaced:
                await send(message)

        await self.app(scope, receive, send_instead)


def other_answer(scope: Scope) -> Response | None:
    """Return the answer to a request for an unknown page; None for a known one, and for files.

    >>> other_answer({"type": "http", "path": "/Tensors/2", "query_string": b"lang=zh"}).headers[
    ...     "location"
    ... ]
    '/tensors?lang=zh'
    """
    path, query = scope["path"], scope.get("query_string", b"").decode("latin-1")
    first = path.strip("/").partition("/")[0].lower()
    if "." in path or path == "/" or (first in PAGES - {HOME} and path == f"/{first}"):
        return None
    if first in PAGES:
        address = "/" if first == HOME else f"/{first}"
        return RedirectResponse(f"{address}?{query}" if query else address)
    return responses.unknown_page(language_of(scope))
