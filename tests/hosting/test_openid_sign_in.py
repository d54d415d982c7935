import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from itsdangerous import TimestampSigner
from starlette.responses import PlainTextResponse
from streamlit.web.server import server_util
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from hosting.cookies import URL_COOKIE
from hosting.openid_sign_in import SignInGate, bound_age, signed_in_visitor, visitor_of
from tests.hosting.asgi import CONNECT, OIDC, Inside, ask, websocket
from tests.hosting.browser import Browser, provider
from tests.hosting.server import HOST, SECRET, Server, free_port, routes

COOKIE = "_streamlit_user"
MADE_AT = 1_800_000_000
HOUR = 3_600
CLAIMS: dict[str, Any] = {
    "sub": "1",
    "iss": "https://id.example",
    "email": "Grace@class.example ",
    "is_logged_in": True,
    "origin": "https://playground.example",
}


@pytest.fixture
def clock(monkeypatch):
    now = {"at": MADE_AT}
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: now["at"])
    monkeypatch.setattr(server_util, "get_cookie_secret", lambda: SECRET)
    return now


def cookie_of(claims: dict[str, Any]) -> dict[str, str]:
    return {COOKIE: create_signed_value(SECRET, COOKIE, json.dumps(claims)).decode()}


def test_a_sign_in_ends_on_the_server_after_the_hours_that_were_given(clock):
    cookies = cookie_of(CLAIMS)
    clock["at"] = MADE_AT + 2 * HOUR
    assert signed_in_visitor(cookies, OIDC) is not None
    clock["at"] += 1
    assert signed_in_visitor(cookies, OIDC) is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, (True, "grace@class.example")),
        ({"email_verified": False}, (False, "")),
        ({"email": None}, (False, "")),
        ({"email": "eve@class.example"}, (False, "eve@class.example")),
        ({"sub": ""}, None),
        ({"is_logged_in": "yes"}, None),
        ({"is_logged_in": False}, None),
    ],
)
def test_who_signed_in_is_a_visitor_whose_address_counts_unless_it_is_doubted(changed, expected):
    who = visitor_of({**CLAIMS, **changed}, OIDC)
    assert (who and (who.is_teacher, who.email)) == expected


def test_a_forged_cookie_opens_nothing(clock):
    genuine = cookie_of(CLAIMS)[COOKIE]
    other = "B" if genuine[20] == "A" else "A"
    forged = [
        "",
        "chunks-3",
        cookie_of({**CLAIMS, "origin": "https://x.example"})[COOKIE],  # of another server
        genuine[:20] + other + genuine[21:],  # another account
        genuine.rpartition(".")[0] + "." + "A" * 27,  # another signature
        genuine[:-1],
        json.dumps(CLAIMS).replace('"', "'"),
    ]
    gate = SignInGate(Inside(), OIDC)

    def visit(value: str) -> tuple[int, str]:
        cookie = f"{COOKIE}={value}"
        (sent,) = websocket(gate, CONNECT, headers=[(b"cookie", cookie.encode())])
        return ask(gate, "GET", "/", cookie=cookie).status, sent["type"]

    assert visit(genuine) == (200, "websocket.accept")
    for each in forged:
        assert visit(each) == (401, "websocket.close"), each


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("_streamlit_user_1=x; max-age=9; Secure", "_streamlit_user_1=x; max-age=7200; Secure"),
        ("_streamlit_user=; Max-Age=0", "_streamlit_user=; Max-Age=0"),
        ("session=x; Max-Age=60", "session=x; Max-Age=60"),
    ],
)
def test_cookies_of_streamlit_last_as_long_as_the_settings_say(given, sent):
    assert bound_age(given, OIDC) == sent


def test_where_the_provider_is_away_the_login_page_says_so():
    gate = SignInGate(PlainTextResponse("Authentication error", 400), OIDC)
    answer = ask(gate, "GET", "/auth/login?provider=x&next=%2Ftensors%3Fstep%3Dmoving&lang=zh")
    assert answer.status == 503
    assert "登录服务没有响应" in answer.text
    assert 'href="/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving"' in answer.text


# -- a real server and a real OpenID Connect provider, both on loopback ----------------------------

PEOPLE = {
    "ada": {"email": "ada@class.example", "email_verified": True},
    "eve": {"email": "eve@elsewhere.example", "email_verified": True},
    "mallory": {"email": "mallory@class.example", "email_verified": False},
}
SIGNING_IN = {"/auth/login", "/auth/logout", "/oauth2callback", "/api/health"}


@pytest.fixture(scope="module")
def settings():
    with provider(PEOPLE) as named:
        yield named


@pytest.fixture(scope="module")
def server(settings, tmp_path_factory):
    port = free_port()
    settings = {"public_address": f"http://{HOST}:{port}", **settings}
    started = Server(tmp_path_factory.mktemp("oidc"), settings, ("jail", "workers"), port)
    with started.running():
        yield started


@pytest.fixture
def browser(server):
    return Browser(server)


def test_every_route_but_the_way_in_is_closed(server, settings):
    paths = routes(public_address=server.url, cookie_secret=SECRET, **settings)
    assert paths > SIGNING_IN
    assert server.let_in(paths - SIGNING_IN, ("GET", "POST", "PUT", "DELETE")) == set()
    assert server.refusal() == 403


def test_a_student_signs_in_and_out(server, settings, browser):
    page = browser.sign_in("ada", "/")

    assert (page.status, "<form" in page.text) == (200, False)
    assert not browser.is_refused()
    assert browser.ask("GET", "/_stcore/health").status == 200
    assert browser.ask("PUT", "/_stcore/upload_file/x/y", b"x").status != 401

    inside = browser.open("/door")
    (way_out,) = re.findall(r'href="(/auth/[^"]+)"', inside.text)
    assert "<form" not in inside.text  # the content security policy would keep it here
    left = urlsplit(browser.follow(way_out))
    assert left.netloc == urlsplit(settings["oidc_metadata"]).netloc
    assert parse_qs(left.query)["post_logout_redirect_uri"] == [f"{server.url}/oauth2callback"]
    assert browser.open("/oauth2callback").headers["location"] == "/"
    assert browser.open("/tensors").status == 401
    assert browser.is_refused()


def test_a_deep_link_survives_the_provider(browser):
    network = "k9_-" * 1_000  # as long as a network's link may be
    link = f"/blocks?lang=zh&x=%25%2B%26%E5%BC%A0+%3B&network={network}"
    assert browser.sign_in("ada", link).status == 200
    assert not [name for name in browser.cookies if name.startswith(URL_COOKIE)]


def test_a_visitor_who_gives_up_half_way_may_begin_again_at_the_same_link(browser):
    browser.open("/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving")
    back = browser.open("/oauth2callback?error=access_denied&state=x").headers["location"]
    page = browser.open(back)
    assert (page.status, back) == (401, "/tensors?step=moving")
    assert "next=%2Ftensors%3Fstep%3Dmoving" in page.text


@pytest.mark.parametrize("name", ["eve", "mallory"])
def test_an_account_that_the_class_does_not_know_stays_outside(browser, name):
    page = browser.sign_in(name, "/")
    assert page.status == 403
    assert "does not belong to the class" in page.text
    assert browser.is_refused()
    assert browser.ask("GET", "/_stcore/health").status == 401
