"""ASGI middleware: the document of every page, and the security headers of every response.

Streamlit's frontend fills the document. The headers hold the Content-Security-Policy.
"""

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.login_and_error_pages import unknown_page
from hosting.requests import EN, ZH, language_of
from ui.theme import style_sheet

HOME = "home"
PAGES = {each.stem for each in (Path(__file__).parents[1] / "pages").glob("*.py")}
HTML_LANG = {EN: '<html lang="en">', ZH: '<html lang="zh-CN">'}
# Streamlit's frontend would look for its server below the address of the page first: two times 404.
SERVER_SCRIPT = 'window.__streamlit = { BACKEND_BASE_URL: location.origin + "/" };'
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@functools.cache
def page_document(language: str) -> str:
    """Return the document of Streamlit's frontend: its language, its server, our style sheet.

    Args:
        language: Of the page.
    """
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    page = page.replace(HTML_LANG[EN], HTML_LANG[language], 1)
    page = page.replace("<script>", f"<script>{SERVER_SCRIPT}", 1)
    # After the styles that Streamlit's frontend adds to the head: ours win where both say something
    return page.replace("</body>", f"{style_sheet()}</body>", 1)


class PageDocuments:
    """Pure ASGI middleware that answers where Streamlit would with the document of its frontend.

    Streamlit does at every address, also where the frontend's scripts then have wrong addresses or
    find no page. Such an address leads to the page that it begins with, or to a page that says so.

    Args:
        app: The next application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace Streamlit's document; pass everything else."""
        instead = page_response(scope) if scope["type"] == "http" else None
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


def page_response(scope: Scope) -> Response | None:
    """Return the answer to a request for a page, known or not; None for files.

    >>> found = page_response({"type": "http", "path": "/Tensors/2", "query_string": b"lang=zh"})
    >>> found.headers["location"]
    '/tensors?lang=zh'
    """
    path, query = scope["path"], scope.get("query_string", b"").decode("latin-1")
    first = path.strip("/").partition("/")[0].lower()
    if "." in path:
        return None
    if path == "/" or (first in PAGES - {HOME} and path == f"/{first}"):
        return HTMLResponse(
            page_document(language_of(scope)), headers={"cache-control": "no-cache"}
        )
    if first in PAGES:
        address = "/" if first == HOME else f"/{first}"
        return RedirectResponse(f"{address}?{query}" if query else address)
    return unknown_page(language_of(scope))


def content_security_policy(embedded_by: Sequence[str] = ()) -> str:
    """Allow this host alone, and the inline script of the document.

    Styles may be inline: Streamlit writes its theme into the page while it runs. Plotly draws its
    pictures from ``blob:`` and ``data:`` addresses, which never leave the browser.

    Args:
        embedded_by: Other hosts whose pages may show this one in a frame.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in INLINE_SCRIPT.findall(page_document(EN))
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
