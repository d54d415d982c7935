"""A requested URL survives the sign-in, in cookies that lead to this server only."""

import base64
import random
import zlib

import pytest
from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from hosting.gate import return_url
from hosting.gate.login_page import MAX_URL_CHARACTERS


def sent_back(response: Response) -> dict[str, str]:
    """What a browser would send, as RFC 6265 says: an age of 0 drops the cookie."""
    kept = {}
    for line in MutableHeaders(raw=response.raw_headers).getlist("set-cookie"):
        pair, _, rest = line.partition(";")
        name, _, value = pair.partition("=")
        assert len(pair) <= 4_096
        assert "Path=/oauth2callback" in rest
        if "Max-Age=0" not in rest:
            kept[name] = value
    return kept


@pytest.mark.parametrize(
    ("address", "arrives"),
    [
        ("/", "/"),
        ("/tensors?x=%25&y=1+2&lang=zh", "/tensors?x=%25&y=1+2&lang=zh"),
        ("/lab?code=" + "".join(map(chr, range(48, 58))) * 580, None),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
    ],
)
def test_an_address_comes_through_the_cookies(address: str, arrives: str | None) -> None:
    response = Response()
    return_url.remember(response, address, is_secure=True)

    assert return_url.recall(sent_back(response)) == (arrives or address)


@pytest.mark.parametrize(
    "packed",
    ["", "x", "\xff", "a" * 9_000, base64.urlsafe_b64encode(zlib.compress(b"x" * 10**6)).decode()],
)
def test_what_a_stranger_writes_into_the_cookie_leads_to_the_first_page(packed: str) -> None:
    assert return_url.recall({"playground_onward_0": packed}) == "/"


def test_what_no_cookie_holds_is_left_out() -> None:
    drawn = random.Random(0)
    response = Response()
    letters = "".join(drawn.choice("abcdefghijkXYZ0123456789_-") for _ in range(20_000))
    return_url.remember(response, f"/{letters}", is_secure=False)

    assert len(letters) > MAX_URL_CHARACTERS
    assert return_url.recall(sent_back(response)) == "/"
