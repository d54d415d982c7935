"""The document of every page, which Streamlit's frontend fills, and the addresses that get it."""

import functools
from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting import responses
from hosting.requests import EN, ZH, language_of
from ui.theme import style_sheet

HOME = "home"
PAGES = {each.stem for each in (Path(__file__).parents[1] / "pages").glob("*.py")}

HTML_LANG = {EN: '<html lang="en">', ZH: '<html lang="zh-CN">'}
# Streamlit's frontend would look for its server below the address of the page first: two times 404.
SERVER = 'window.__streamlit = { BACKEND_BASE_URL: location.origin + "/" };'


@functools.cache
def document(language: str) -> str:
    """Return the document of Streamlit's frontend: its language, its server, our style sheet.

    Args:
        language: Of the page.
    """
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text("utf-8")
    page = page.replace(HTML_LANG[EN], HTML_LANG[language], 1)
    page = page.replace("<script>", f"<script>{SERVER}", 1)
    # After the styles that Streamlit's frontend adds to the head: ours win where both say something
    return page.replace("</body>", f"{style_sheet()}</body>", 1)


class Pages:
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
        instead = answer(scope) if scope["type"] == "http" else None
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


def answer(scope: Scope) -> Response | None:
    """Return the answer to a request for a page, known or not; None for files.

    >>> found = answer({"type": "http", "path": "/Tensors/2", "query_string": b"lang=zh"})
    >>> found.headers["location"]
    '/tensors?lang=zh'
    """
    path, query = scope["path"], scope.get("query_string", b"").decode("latin-1")
    first = path.strip("/").partition("/")[0].lower()
    if "." in path:
        return None
    if path == "/" or (first in PAGES - {HOME} and path == f"/{first}"):
        return HTMLResponse(document(language_of(scope)), headers={"cache-control": "no-cache"})
    if first in PAGES:
        address = "/" if first == HOME else f"/{first}"
        return RedirectResponse(f"{address}?{query}" if query else address)
    return responses.unknown_page(language_of(scope))
