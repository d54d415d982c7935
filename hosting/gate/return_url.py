"""Remembers the requested URL across the redirects of a sign-in, in cookies.

The cookies are sent only to the URL to which the provider redirects. They come from the browser, so
they are unpacked within bounds, and lead to a URL of this server or to the first page.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from hosting.gate.login_page import HOME, MAX_URL_CHARACTERS, safe_url

COOKIE = "playground_onward"  # numbered: a URL may need several
CALLBACK_PATH = "/oauth2callback"
MAX_AGE_SECONDS = 3_600  # time to look for a password
MAX_COOKIE_CHARACTERS = 3_500  # browsers accept 4096 bytes, with the name
MAX_COOKIES = 2


def remember(response: Response, url: str, *, is_secure: bool) -> None:
    """Put a URL into the cookies of a response; leave out one that is too long."""
    packed = base64.urlsafe_b64encode(zlib.compress(url.encode(), level=9)).decode("ascii")
    pieces = [
        packed[start : start + MAX_COOKIE_CHARACTERS]
        for start in range(0, len(packed), MAX_COOKIE_CHARACTERS)
    ]
    if len(pieces) > MAX_COOKIES:
        pieces = []
    for index, name in enumerate(_names()):
        piece = pieces[index] if index < len(pieces) else ""
        response.set_cookie(
            name,
            piece,
            max_age=MAX_AGE_SECONDS if piece else 0,
            path=CALLBACK_PATH,
            secure=is_secure,
            httponly=True,
            samesite="lax",
        )


def recall(cookies: Mapping[str, str]) -> str:
    """Return the URL from the cookies of a request, or the first page."""
    packed = "".join(cookies.get(name, "") for name in _names())
    packed = packed[: MAX_COOKIE_CHARACTERS * MAX_COOKIES]
    try:
        url = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed), MAX_URL_CHARACTERS)
        return safe_url(url.decode("utf-8"))
    except (binascii.Error, zlib.error, ValueError):
        return HOME


def delete(headers: MutableHeaders, cookies: Mapping[str, str]) -> None:
    """Make the browser delete the cookies that it sent."""
    for name in _names():
        if name in cookies:
            headers.append("set-cookie", f"{name}=; Max-Age=0; Path={CALLBACK_PATH}; HttpOnly")


def _names() -> list[str]:
    return [f"{COOKIE}_{index}" for index in range(MAX_COOKIES)]
