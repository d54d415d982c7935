"""Carries the address that a visitor wanted past the identity provider, in cookies of its own.

They are sent to the provider's way back alone. What they hold is a stranger's text: it is unpacked
within bounds, and leads to an address of this server or to the first page.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from hosting.gate.page import HOME, LONGEST_ADDRESS, safe_address

NAME = "playground_onward"
WAY_BACK = "/oauth2callback"
LASTS = 3_600  # seconds: whoever signs in may look for a password first
MOST_OF_ONE = 3_500  # characters; browsers take 4096 bytes with the name
MOST_PIECES = 2


def remember(response: Response, address: str, *, is_secure: bool) -> None:
    """Put an address into a response; one that is too long for cookies is left out."""
    packed = base64.urlsafe_b64encode(zlib.compress(address.encode(), level=9)).decode("ascii")
    pieces = [packed[at : at + MOST_OF_ONE] for at in range(0, len(packed), MOST_OF_ONE)]
    if len(pieces) > MOST_PIECES:
        pieces = []
    for place, name in enumerate(_names()):
        piece = pieces[place] if place < len(pieces) else ""
        response.set_cookie(
            name,
            piece,
            max_age=LASTS if piece else 0,
            path=WAY_BACK,
            secure=is_secure,
            httponly=True,
            samesite="lax",
        )


def recall(cookies: Mapping[str, str]) -> str:
    """The address that a request's cookies hold, or the first page."""
    packed = "".join(cookies.get(name, "") for name in _names())[: MOST_OF_ONE * MOST_PIECES]
    try:
        told = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed), LONGEST_ADDRESS)
        return safe_address(told.decode("utf-8"))
    except (binascii.Error, zlib.error, ValueError):
        return HOME


def forget(headers: MutableHeaders, cookies: Mapping[str, str]) -> None:
    """Make the browser drop what it sent."""
    for name in _names():
        if name in cookies:
            headers.append("set-cookie", f"{name}=; Max-Age=0; Path={WAY_BACK}; HttpOnly")


def _names() -> list[str]:
    return [f"{NAME}_{place}" for place in range(MOST_PIECES)]
