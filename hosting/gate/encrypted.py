"""Cookies that browsers send over TLS alone, whoever gives them out."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.gate import set_cookies


class EncryptedCookies:
    """Marks every cookie ``Secure``: Streamlit, behind a proxy, does not know that there is TLS.

    Args:
        app: What gives out cookies.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; add to the cookies of the answer what they lack."""

        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                set_cookies.alter(headers, secure)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, mark)


def secure(cookie: str) -> str:
    """The cookie, for TLS alone.

    >>> secure("_streamlit_xsrf=x; Path=/"), secure("ticket=x; secure")
    ('_streamlit_xsrf=x; Path=/; Secure', 'ticket=x; secure')
    """
    attributes = (part.strip().lower() for part in cookie.split(";")[1:])
    return cookie if "secure" in attributes else f"{cookie}; Secure"
