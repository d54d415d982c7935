"""Who has signed in, how long that lasts, and where it leads: without a provider."""

import json
from dataclasses import replace
from typing import Any

import pytest
from itsdangerous import TimestampSigner
from starlette.responses import PlainTextResponse
from streamlit.web.server import server_util
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from hosting.gate.openid_sign_in import SignInGate, bound_age, signed_in_visitor, visitor_of
from hosting.setting_field import SettingError
from hosting.settings import Gate, Settings
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
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    now = {"at": MADE_AT}
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: now["at"])
    monkeypatch.setattr(server_util, "get_cookie_secret", lambda: SECRET)
    return now


def cookie_of(claims: dict[str, Any]) -> dict[str, str]:
    return {COOKIE: create_signed_value(SECRET, COOKIE, json.dumps(claims)).decode()}


def test_a_sign_in_ends_on_the_server_after_the_hours_that_were_given(
    clock: dict[str, int],
) -> None:
    cookies = cookie_of(CLAIMS)

    clock["at"] = MADE_AT + 2 * HOUR
    assert signed_in_visitor(cookies, CHOSEN) is not None
    clock["at"] += 1
    assert signed_in_visitor(cookies, CHOSEN) is None


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
    who = visitor_of({**CLAIMS, **changed}, CHOSEN)

    assert who is not None
    assert (who.is_teacher, who.email) == (is_teacher, email)


@pytest.mark.parametrize("changed", [{"sub": ""}, {"is_logged_in": "yes"}, {"is_logged_in": False}])
def test_claims_without_a_sign_in_are_of_no_visitor(changed: dict[str, Any]) -> None:
    assert visitor_of({**CLAIMS, **changed}, CHOSEN) is None


def test_a_cookie_of_another_server_is_none(clock: dict[str, int]) -> None:
    assert signed_in_visitor(cookie_of({**CLAIMS, "origin": "https://x.example"}), CHOSEN) is None
    assert signed_in_visitor({COOKIE: "chunks-2"}, CHOSEN) is None


def test_more_hours_than_streamlits_own_cookie_lasts_are_refused() -> None:
    with pytest.raises(SettingError, match="PLAYGROUND_COOKIE_HOURS may be 720 at most"):
        replace(CHOSEN, cookie_hours=721)


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
    assert bound_age(given, CHOSEN) == sent


@pytest.mark.parametrize(
    ("language", "words"), [("en", "does not answer"), ("zh", "登录服务没有响应")]
)
def test_where_the_provider_is_away_the_login_page_says_so(language: str, words: str) -> None:
    answer = ask(
        SignInGate(PlainTextResponse("Authentication error", 400), CHOSEN),
        "GET",
        f"/auth/login?provider=x&next=%2Ftensors%3Fstep%3Dmoving&lang={language}",
    )

    assert answer.status == 503
    assert words in answer.text
    assert 'href="/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving"' in answer.text
