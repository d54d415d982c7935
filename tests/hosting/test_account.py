"""Who has signed in, how long that lasts, and where it leads: without a provider."""

import base64
import json
import random
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from itsdangerous import TimestampSigner
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from hosting.gate import account, onward
from hosting.gate.encrypted import EncryptedCookies
from hosting.gate.page import LONGEST_ADDRESS
from hosting.gate.sign_in import SignInDoor, bounded
from hosting.parsing import SettingError
from hosting.settings import Gate, Settings
from hosting.stack import stack
from tests.hosting.asgi import ask

SECRET = "s" * 32
COOKIE = "_streamlit_user"
MADE_AT = 1_800_000_000
HOUR = 3_600
CHOSEN = Settings(
    gate=Gate.OIDC,
    oidc_metadata="https://id.example/x",
    oidc_client_id="playground",
    oidc_client_secret="a secret",
    public_address="https://playground.example",
    teachers=("grace@class.example",),
    cookie_hours=2,
)
CLAIMS: dict[str, Any] = {
    "sub": "1",
    "iss": "https://id.example",
    "email": "Grace@class.example ",
    "is_logged_in": True,
    "origin": "https://playground.example",
}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    now = {"at": MADE_AT}
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: now["at"])
    monkeypatch.setattr(account, "get_cookie_secret", lambda: SECRET)
    return now


def cookie_of(claims: dict[str, Any]) -> dict[str, str]:
    return {COOKIE: create_signed_value(SECRET, COOKIE, json.dumps(claims)).decode()}


def test_a_sign_in_ends_on_the_server_after_the_hours_that_were_given(
    clock: dict[str, int],
) -> None:
    cookies = cookie_of(CLAIMS)

    clock["at"] = MADE_AT + 2 * HOUR
    assert account.signed_in(cookies, CHOSEN) is not None
    clock["at"] += 1
    assert account.signed_in(cookies, CHOSEN) is None


@pytest.mark.parametrize(
    ("changed", "is_teacher", "email"),
    [
        ({}, True, "grace@class.example"),
        ({"email_verified": True}, True, "grace@class.example"),
        ({"email_verified": False}, False, ""),
        ({"email": None}, False, ""),
        ({"email": "eve@class.example"}, False, "eve@class.example"),
    ],
)
def test_an_address_counts_unless_the_provider_doubts_it(
    changed: dict[str, Any], is_teacher: bool, email: str
) -> None:
    who = account.holder({**CLAIMS, **changed}, CHOSEN)

    assert who is not None
    assert (who.is_teacher, who.email) == (is_teacher, email)


@pytest.mark.parametrize("changed", [{"sub": ""}, {"is_logged_in": "yes"}, {"is_logged_in": False}])
def test_nobody_is_somebody_without_having_signed_in(changed: dict[str, Any]) -> None:
    assert account.holder({**CLAIMS, **changed}, CHOSEN) is None


def test_a_cookie_of_another_server_is_none(clock: dict[str, int]) -> None:
    assert account.signed_in(cookie_of({**CLAIMS, "origin": "https://x.example"}), CHOSEN) is None
    assert account.signed_in({COOKIE: "chunks-2"}, CHOSEN) is None


def test_more_hours_than_streamlits_own_cookie_lasts_are_refused() -> None:
    values = {name: getattr(CHOSEN, name) for name in CHOSEN.__slots__}

    with pytest.raises(SettingError, match="PLAYGROUND_COOKIE_HOURS may be 720 at most"):
        Settings(**{**values, "cookie_hours": 721})


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("_streamlit_user=x; Max-Age=2592000", "_streamlit_user=x; Max-Age=7200"),
        ("_streamlit_user_1=x; max-age=9; Secure", "_streamlit_user_1=x; max-age=7200; Secure"),
        ("_streamlit_user=; Max-Age=0", "_streamlit_user=; Max-Age=0"),
        ("session=x; Max-Age=60", "session=x; Max-Age=60"),
    ],
)
def test_cookies_of_streamlit_last_as_long_as_the_settings_say(given: str, sent: str) -> None:
    assert bounded(given, CHOSEN) == sent


@pytest.mark.parametrize(
    ("language", "words"), [("en", "does not answer"), ("zh", "登录服务没有响应")]
)
def test_where_the_provider_is_away_the_door_says_so(language: str, words: str) -> None:
    told = ask(
        SignInDoor(PlainTextResponse("Authentication error", 400), CHOSEN),
        "GET",
        f"/auth/login?provider=x&next=%2Ftensors%3Fstep%3Dmoving&lang={language}",
    )

    assert told.status == 503
    assert words in told.text
    assert 'href="/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving"' in told.text


def test_where_visitors_come_over_tls_every_cookie_is_for_tls_alone() -> None:
    def first(settings: Settings) -> object:
        return stack(settings)[0].cls

    answer = PlainTextResponse("")
    answer.set_cookie("_streamlit_xsrf", "x")
    assert "Secure" in ask(EncryptedCookies(answer), "GET", "/").headers["set-cookie"]
    assert first(CHOSEN) is EncryptedCookies
    assert first(Settings(public_address="https://playground.example")) is EncryptedCookies
    assert first(Settings()) is not EncryptedCookies


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
    onward.remember(response, address, is_secure=True)

    assert onward.recall(sent_back(response)) == (arrives or address)


@pytest.mark.parametrize(
    "packed",
    ["", "x", "\xff", "a" * 9_000, base64.urlsafe_b64encode(zlib.compress(b"x" * 10**6)).decode()],
)
def test_what_a_stranger_writes_into_the_cookie_leads_to_the_first_page(packed: str) -> None:
    assert onward.recall({"playground_onward_0": packed}) == "/"


def test_what_no_cookie_holds_is_left_out() -> None:
    drawn = random.Random(0)
    response = Response()
    letters = "".join(drawn.choice("abcdefghijkXYZ0123456789_-") for _ in range(20_000))
    onward.remember(response, f"/{letters}", is_secure=False)

    assert len(letters) > LONGEST_ADDRESS
    assert onward.recall(sent_back(response)) == "/"
