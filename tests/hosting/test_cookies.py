"""The secret that signs cookies, the cookies of a requested URL, and those of a server with TLS."""

import base64
import os
import random
import stat
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response

from hosting.apply_settings import middleware_for
from hosting.gate.cookies import (
    SECRET_FILE,
    SecureCookies,
    cookie_secret,
    recall_url,
    remember_url,
)
from hosting.requests import MAX_URL_CHARACTERS
from hosting.setting_field import SettingError
from hosting.settings import Settings
from tests.hosting.asgi import ask

# -- the secret ------------------------------------------------------------------------------------


def test_it_is_made_once_and_kept_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_folder=tmp_path / "data")
    with ThreadPoolExecutor(8) as replicas:  # that start together
        (made,) = set(replicas.map(lambda _: cookie_secret(settings), range(8)))

    assert len(made) >= 32
    assert cookie_secret(settings) == made
    assert [file.name for file in settings.data_folder.iterdir()] == [SECRET_FILE]
    if os.name == "posix":
        assert stat.S_IMODE((settings.data_folder / SECRET_FILE).stat().st_mode) == 0o600
        assert stat.S_IMODE(settings.data_folder.stat().st_mode) == 0o700


def test_the_operators_own_touches_no_file(tmp_path: Path) -> None:
    own = "o" * 40

    assert cookie_secret(Settings(cookie_secret=own, data_folder=tmp_path)) == own
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
@pytest.mark.parametrize(
    ("mode", "text", "named"),
    [(0o644, "x" * 40, "its owner alone"), (0o600, "x", "damaged"), (0o600, "\xff", "cannot")],
)
def test_a_file_that_cannot_be_trusted_is_refused(
    tmp_path: Path, mode: int, text: str, named: str
) -> None:
    file = tmp_path / SECRET_FILE
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)

    with pytest.raises(SettingError, match=named):
        cookie_secret(Settings(data_folder=tmp_path))


def test_a_folder_that_cannot_be_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SettingError, match="PLAYGROUND_DATA_FOLDER"):
        cookie_secret(Settings(data_folder=tmp_path / "file" / "data"))


# -- a requested URL survives the sign-in, in cookies that lead to this server only ----------------


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


LETTERS = "".join(random.Random(0).choices("abcdefghijkXYZ0123456789_-", k=20_000))


@pytest.mark.parametrize(
    ("address", "arrives"),
    [
        ("/", "/"),
        ("/tensors?x=%25&y=1+2&lang=zh", "/tensors?x=%25&y=1+2&lang=zh"),
        ("/lab?code=" + "0123456789" * 580, "/lab?code=" + "0123456789" * 580),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        (f"/{LETTERS}", "/"),  # no cookie holds it
    ],
    ids=["first", "query", "long", "elsewhere", "backslash", "too long"],
)
@pytest.mark.parametrize("is_secure", [True, False])
def test_an_address_comes_through_the_cookies(address: str, arrives: str, is_secure: bool) -> None:
    response = Response()
    remember_url(response, address, is_secure=is_secure)

    assert len(LETTERS) > MAX_URL_CHARACTERS
    assert recall_url(sent_back(response)) == arrives


@pytest.mark.parametrize(
    "packed",
    ["", "x", "\xff", "a" * 9_000, base64.urlsafe_b64encode(zlib.compress(b"x" * 10**6)).decode()],
)
def test_what_a_stranger_writes_into_the_cookie_leads_to_the_first_page(packed: str) -> None:
    assert recall_url({"playground_onward_0": packed}) == "/"


# -- TLS -------------------------------------------------------------------------------------------


def test_where_visitors_come_over_tls_every_cookie_is_for_tls_alone() -> None:
    def first(settings: Settings) -> object:
        return middleware_for(settings)[0].cls

    answer = PlainTextResponse("")
    answer.set_cookie("_streamlit_xsrf", "x")
    assert "Secure" in ask(SecureCookies(answer), "GET", "/").headers["set-cookie"]
    assert first(Settings(public_address="https://playground.example")) is SecureCookies
    assert first(Settings()) is not SecureCookies
