"""ASGI middleware that marks every cookie ``Secure``, so that browsers send it over TLS only.

Behind a proxy, Streamlit does not know that visitors come over TLS.
"""

from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class SecureCookies:
    """Adds ``Secure`` to the cookies of every answer.

    Args:
        app: The application that sets cookies.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secure(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                rewrite_cookies(headers, secure)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, send_secure)


def secure(cookie: str) -> str:
    """Return a ``Set-Cookie`` line with the attribute ``Secure``.

    >>> secure("_streamlit_xsrf=x; Path=/"), secure("session=x; secure")
    ('_streamlit_xsrf=x; Path=/; Secure', 'session=x; secure')
    """
    attributes = (part.strip().lower() for part in cookie.split(";")[1:])
    return cookie if "secure" in attributes else f"{cookie}; Secure"


def rewrite_cookies(headers: MutableHeaders, rewrite: Callable[[str], str]) -> None:
    """Replace every ``Set-Cookie`` line of an answer.

    >>> headers = MutableHeaders({"set-cookie": "a=1"})
    >>> rewrite_cookies(headers, str.upper)
    >>> headers.getlist("set-cookie")
    ['A=1']
    """
    lines = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for line in lines:
        headers.append("set-cookie", rewrite(line))
