"""Security headers of every response."""

import base64
import hashlib
import re
from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.requests import EN
from ui.document import document

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(embedded_by: Sequence[str] = ()) -> str:
    """Allow this host alone, and the inline script of the document.

    Styles may be inline: Streamlit writes its theme into the page while it runs. Plotly draws its
    pictures from ``blob:`` and ``data:`` addresses, which never leave the browser.

    Args:
        embedded_by: Other hosts whose pages may show this one in a frame.
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in INLINE_SCRIPT.findall(document(EN))
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
