"""ASGI middleware that marks every cookie ``Secure``, so that browsers send it over TLS only.

Behind a proxy, Streamlit does not know that visitors come over TLS. Where other sites may show the
playground in a frame, each cookie is made for that, too.
"""

import re
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAME_SITE = re.compile(r";\s*samesite=[^;]*", re.IGNORECASE)


class SecureCookies:
    """Adds ``Secure`` to the cookies of every answer.

    Args:
        app: The application that sets cookies.
        is_embedded: Whether a page of another site may show the application in a frame.
    """

    def __init__(self, app: ASGIApp, *, is_embedded: bool = False) -> None:
        self._app = app
        self._rewrite = for_frames if is_embedded else secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secure(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                rewrite_cookies(headers, self._rewrite)
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


def for_frames(cookie: str) -> str:
    """Return a ``Set-Cookie`` line that browsers keep in a frame, apart for each site around it.

    ``Partitioned`` also keeps the cookie from requests that a page of any other site makes.

    >>> for_frames("session=x; HttpOnly; SameSite=lax; Path=/")
    'session=x; HttpOnly; Path=/; Secure; SameSite=None; Partitioned'
    """
    return f"{secure(SAME_SITE.sub('', cookie))}; SameSite=None; Partitioned"


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
