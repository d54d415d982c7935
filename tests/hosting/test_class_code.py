import base64
import os
import random
import re
import stat
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response

from hosting.apply_settings import middleware_for
from hosting.class_code import ClassCodeGate
from hosting.cookies import (
    SECRET_FILE,
    SecureCookies,
    SessionCookies,
    cookie_secret,
    recall_url,
    remember_url,
)
from hosting.login_and_error_pages import say, table
from hosting.logs_and_metrics import Rejected
from hosting.requests import MAX_URL_CHARACTERS
from hosting.setting_field import SettingError
from hosting.settings import Gate, Settings
from tests.hosting.asgi import ASKS_FOR_A_PAGE, CONNECT, Answer, Inside, ask, counted, websocket

CODE, TEACHERS_CODE, SECRET = "gradients", "teachers-only", "s" * 32
SETTINGS = Settings(
    gate=Gate.CODE, class_code=CODE, teacher_code=TEACHERS_CODE, code_tries=3, code_tries_in_all=5
)
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@pytest.fixture
def inside():
    return Inside()


@pytest.fixture
def gate(inside):
    return ClassCodeGate(inside, SETTINGS, SECRET, clock=lambda: 0.0)


def enter(gate: ClassCodeGate, code: str, wanted: str = "/", client: str = "192.0.2.1") -> Answer:
    target = "/door?" + urlencode({"next": wanted})
    body = urlencode({"code": code}).encode()
    return ask(gate, "POST", target, body=body, client=(client, 1))


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/", "/tensors", "/_stcore/upload_file/s/f", "/media/x.png", "/_stcore/metrics", "/api/ready"]
    + ["/door/", "/door/../", "//door", "/DOOR", "/api/health/", "/api/health/x", "/door%2f.."],
)
def test_a_stranger_reaches_nothing(gate, inside, method, path):
    with counted(Rejected.STRANGER):
        answer = ask(gate, method, path)
    assert answer.status == 401
    assert inside.scopes == []


def test_a_websocket_is_refused_before_it_is_open_and_only_health_is_passed_on(gate, inside):
    with counted(Rejected.STRANGER):
        sent = websocket(gate, CONNECT)
    assert [message["type"] for message in sent] == ["websocket.close"]
    assert inside.scopes == []
    assert ask(gate, "GET", "/api/health").body == b"inside"
    assert "playground.visitor" not in inside.scopes[0]


@pytest.mark.parametrize(
    "link",
    [
        "/tensors?lang=zh&rows=3",
        "/tensors?x=%25%2B%26%E5%BC%A0+1&y=a;b",
        "/builder?network=" + "k9_-" * 1_000,  # as long as a network's link may be
    ],
)
def test_the_code_opens_the_address_that_was_asked_for_and_leaving_takes_the_cookie(gate, link):
    shown = ask(gate, "GET", link, headers=ASKS_FOR_A_PAGE)
    (action,) = re.findall(r'action="([^"]+)"', shown.text)
    answer = ask(gate, "POST", action.replace("&amp;", "&"), body=b"code=" + CODE.encode())

    assert shown.status == 401
    assert answer.status == 303
    assert answer.headers["location"] == link
    assert ask(gate, "GET", "/tensors", cookie=answer.cookie).body == b"inside"
    assert 'action="/door/leave"' in ask(gate, "GET", "/door", cookie=answer.cookie).text
    left = ask(gate, "POST", "/door/leave", cookie=answer.cookie)
    assert "max-age=0" in left.headers["set-cookie"].lower()


def test_visitors_are_distinguished_and_the_teachers_code_makes_a_teacher(gate, inside):
    for code in (CODE, CODE, TEACHERS_CODE):
        ask(gate, "GET", "/", cookie=enter(gate, code).cookie)
    visitors = [scope["playground.visitor"] for scope in inside.scopes]
    assert len({who.id for who in visitors}) == 3
    assert [who.is_teacher for who in visitors] == [False, False, True]
    assert visitors[0].email == ""  # nothing else is known


@pytest.mark.parametrize(
    ("address", "is_secure"), [("", False), ("https://playground.example.edu", True)]
)
def test_cookies_are_for_the_server_alone_and_where_it_has_tls_for_tls_alone(address, is_secure):
    settings = replace(SETTINGS, public_address=address, cookie_secret=SECRET)
    cookie = enter(ClassCodeGate(Inside(), settings, SECRET), CODE).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert ("; secure" in cookie) is is_secure

    answer = PlainTextResponse("")
    answer.set_cookie("_streamlit_xsrf", "x")
    assert "Secure" in ask(SecureCookies(answer), "GET", "/").headers["set-cookie"]
    assert (middleware_for(settings)[0].cls is SecureCookies) is is_secure


@pytest.mark.parametrize("change", [{"class_code": "another"}, {"secret": "t" * 32}])
def test_a_new_code_or_secret_ends_old_cookies(gate, change):
    cookie = enter(gate, CODE).cookie
    settings = replace(SETTINGS, class_code=change.get("class_code", CODE))
    renewed = ClassCodeGate(Inside(), settings, change.get("secret", SECRET))
    assert ask(gate, "GET", "/", cookie=cookie).status == 200
    assert ask(renewed, "GET", "/", cookie=cookie).status == 401


def test_a_cookie_ends_in_time_and_survives_a_clock_that_is_set_back(gate):
    name, _, value = enter(gate, CODE).cookie.partition("=")
    hour = 3_600.0
    lasts = SETTINGS.cookie_hours * hour

    def visitor_after(seconds: float) -> object:
        later = SessionCookies(SETTINGS, SECRET, lambda: time.time() + seconds)
        return later.visitor({name: value})

    assert visitor_after(-24 * hour)
    assert visitor_after(lasts - hour)
    assert visitor_after(lasts + hour) is None


def test_a_forged_cookie_opens_nothing(gate):
    name, _, value = enter(gate, CODE).cookie.partition("=")
    role, _, signed = value.partition(".")
    forged = [
        "",
        "student",
        "student.",
        f"teacher.{signed}",
        f"nobody.{signed}",
        value[:-1],
        value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:],  # the last has spare bits
        "student." + "x" * 10_000,
        "student.\u00e9.\u00e9",
    ]

    assert role == "student"
    for each in forged:
        assert ask(gate, "GET", "/", cookie=f"{name}={each}").status == 401, each


A, B, KNOWN = "192.0.2.1", "192.0.2.2", "198.51.100.1"  # a visitor comes in from the last one
STRANGERS = [f"192.0.2.{number}" for number in range(50)]
GUESSES = {
    "by address": [("guess", A, [403] * 3), (CODE, A, [429]), (CODE, B, [303])],
    "over all addresses": [
        *[("guess", each, [403]) for each in STRANGERS[:5]],
        (CODE, KNOWN, [429]),
    ],
    "elsewhere, the class comes in": [
        (CODE, KNOWN, [303]),
        *[("guess", each, [403 if n < 5 else 429]) for n, each in enumerate(STRANGERS)],
        (CODE, "192.0.2.99", [429]),
        (CODE, KNOWN, [303]),
    ],
    "by one student, the class comes in": [
        (CODE, KNOWN, [303]),
        ("guess", KNOWN, [403] * 10),
        (CODE, KNOWN, [303]),
    ],
    "of a known address": [
        (CODE, KNOWN, [303]),
        ("guess", KNOWN, [403] * 30 + [429] * 10),
        (CODE, KNOWN, [429]),
    ],
}


@pytest.mark.parametrize("attempts", GUESSES.values(), ids=GUESSES)
def test_wrong_codes_are_counted_and_limited_and_a_refusal_says_when_to_try_again(gate, attempts):
    refused = [status for *_, expected in attempts for status in expected if status != 303]
    with counted(Rejected.CODE, len(refused)):
        for code, client, expected in attempts:
            answers = [enter(gate, code, client=client) for _ in expected]
            assert [answer.status for answer in answers] == expected
            for blocked in (answer for answer in answers if answer.status == 429):
                assert 1 <= int(blocked.headers["retry-after"]) <= 60
                assert "set-cookie" not in blocked.headers


def test_a_valid_cookie_makes_an_address_known_and_a_forged_one_does_not(gate):
    cookie = enter(gate, CODE, client=KNOWN).cookie
    ask(gate, "GET", "/", cookie=cookie[:-3], client=(B, 1))
    ask(gate, "GET", "/", cookie=cookie, client=(A, 1))
    assert [enter(gate, "guess", client=B).status for _ in range(4)] == [403, 403, 403, 429]
    assert [enter(gate, "guess", client=A).status for _ in range(10)] == [403] * 10
    assert enter(gate, CODE, client=A).status == 303


def test_one_address_brings_a_class_of_150_or_so_many_visitors_as_is_set():
    large = Settings(gate=Gate.CODE, class_code=CODE)
    gate = ClassCodeGate(Inside(), large, SECRET, clock=lambda: 0.0)
    assert {enter(gate, CODE).status for _ in range(150)} == {303}

    settings = replace(SETTINGS, visitors_per_minute=3)
    gate = ClassCodeGate(Inside(), settings, SECRET, clock=lambda: 0.0)

    answers = [enter(gate, CODE) for _ in range(4)]
    assert [answer.status for answer in answers] == [303, 303, 303, 429]
    assert "set-cookie" not in answers[-1].headers
    assert answers[-1].headers["retry-after"] == "20"
    assert say("login.many-visitors", "en", seconds=20) in answers[-1].text
    assert enter(gate, TEACHERS_CODE).status == 303
    assert enter(gate, CODE, client="192.0.2.2").status == 303
    assert ask(gate, "GET", "/", cookie=answers[0].cookie).status == 200  # who is in stays in


def test_a_code_is_read_as_people_type_it_and_no_large_form_is_read(gate):
    assert enter(gate, f"  {CODE} ").status == 303
    assert enter(gate, CODE.upper()).status == 403
    assert enter(gate, "").status == 403
    assert ask(gate, "POST", "/door", body=b"code=" + b"x" * 5_000).status == 400


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example", "//evil.example", "/\\evil.example", "evil", "/x\r\nset-cookie: a=b"],
)
def test_nobody_is_sent_elsewhere(gate, wanted):
    assert enter(gate, CODE, wanted).headers["location"] == "/"


def test_the_login_page_speaks_the_visitors_language_and_runs_no_script(gate):
    chinese = ask(gate, "GET", "/", headers={**ASKS_FOR_A_PAGE, "accept-language": "zh-CN,zh"})
    english = ask(gate, "GET", "/?lang=en", headers={**ASKS_FOR_A_PAGE, "accept-language": "zh"})

    assert say("login.enter", "zh") in chinese.text
    assert '<html lang="zh">' in chinese.text
    assert say("login.enter", "en") in english.text
    for shown in (chinese.text, english.text):
        assert "<script" not in shown
        assert "://" not in shown
    hostile = ask(gate, "GET", '/"><script>alert(1)</script>', headers=ASKS_FOR_A_PAGE)
    assert "<script" not in hostile.text


def test_the_words_are_there_in_both_languages_with_the_same_placeholders():
    for section in table().values():
        for name, text in section.items():
            assert set(text) == {"en", "zh"}, name
            assert all(said.strip() for said in text.values()), name
            assert PLACEHOLDER.findall(text["en"]) == PLACEHOLDER.findall(text["zh"]), name


# -- the secret ------------------------------------------------------------------------------------


def test_a_secret_of_ones_own_touches_no_file_and_one_is_made_once_for_its_owner_alone(tmp_path):
    settings, own = Settings(data_folder=tmp_path / "data"), "o" * 40
    assert cookie_secret(replace(settings, cookie_secret=own)) == own
    assert not settings.data_folder.exists()

    with ThreadPoolExecutor(8) as replicas:  # that start together
        (made,) = set(replicas.map(lambda _: cookie_secret(settings), range(8)))

    assert len(made) >= 32
    assert cookie_secret(settings) == made
    assert [file.name for file in settings.data_folder.iterdir()] == [SECRET_FILE]
    if os.name == "posix":
        assert stat.S_IMODE((settings.data_folder / SECRET_FILE).stat().st_mode) == 0o600
        assert stat.S_IMODE(settings.data_folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
@pytest.mark.parametrize(
    ("mode", "text", "named"),
    [(0o644, "x" * 40, "its owner alone"), (0o600, "x", "damaged"), (0o600, "\xff", "cannot")],
)
def test_a_file_that_cannot_be_trusted_is_refused(tmp_path, mode, text, named):
    file = tmp_path / SECRET_FILE
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)
    with pytest.raises(SettingError, match=named):
        cookie_secret(Settings(data_folder=tmp_path))


def test_a_folder_that_cannot_be_is_reported_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="PLAYGROUND_DATA_FOLDER"):
        cookie_secret(Settings(data_folder=tmp_path / "file" / "data"))


# -- a requested URL survives the sign-in, in cookies that lead to this server only ----------------


def sent_back(response: Response) -> dict[str, str]:
    """Return the cookies that a browser would send by RFC 6265: an age of 0 drops the cookie."""
    kept = {}
    for line in MutableHeaders(raw=response.raw_headers).getlist("set-cookie"):
        pair, _, rest = line.partition(";")
        name, _, value = pair.partition("=")
        assert len(pair) <= 4_096
        assert {"Path=/oauth2callback", "HttpOnly", "Secure"} <= set(rest.strip().split("; "))
        if "Max-Age=0" not in rest:
            kept[name] = value
    return kept


LETTERS = "".join(random.Random(0).choices("abcdefghijkXYZ0123456789_-", k=20_000))
LONG = f"/lab?code={LETTERS[:5_500]}"  # in more than one cookie


@pytest.mark.parametrize(
    ("address", "arrives"),
    [
        (LONG, LONG),
        ("//elsewhere.example", "/"),
        (f"/{LETTERS}", "/"),  # no cookie holds it
    ],
    ids=["long", "elsewhere", "too long"],
)
def test_an_address_comes_through_the_cookies(address, arrives):
    response = Response()
    remember_url(response, address, is_secure=True)
    assert len(LETTERS) > MAX_URL_CHARACTERS
    assert recall_url(sent_back(response)) == arrives


@pytest.mark.parametrize(
    "packed",
    ["", "x", "\xff", "a" * 9_000, base64.urlsafe_b64encode(zlib.compress(b"x" * 10**6)).decode()],
)
def test_what_a_stranger_writes_into_the_cookie_leads_to_the_first_page(packed):
    assert recall_url({"playground_onward_0": packed}) == "/"
