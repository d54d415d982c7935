"""A real server and a real OpenID Connect provider, both on loopback."""

import html
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar

import pytest

from hosting.gate import return_url
from tests.hosting import identity
from tests.hosting.asgi import ASKS_FOR_A_PAGE
from tests.hosting.server import HOST, Server, free_port, routes, serving

ALLOWED = "@class.example"
PEOPLE = {
    "ada": {"email": "ada@class.example", "email_verified": True},
    "eve": {"email": "eve@elsewhere.example", "email_verified": True},
    "mallory": {"email": "mallory@class.example", "email_verified": False},
}
SIGNING_IN = {"/auth/login", "/auth/logout", "/oauth2callback", "/api/health"}


def settings_for(provider: str, port: int, folder: str) -> dict[str, str]:
    return {
        "gate": "oidc",
        "oidc_metadata": f"{provider}/.well-known/openid-configuration",
        "oidc_client_id": "playground",
        "oidc_client_secret": "a secret of the provider",
        "oidc_allowed": ALLOWED,
        "public_address": f"http://{HOST}:{port}",
        "data_folder": folder,
    }


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with identity.provider(PEOPLE) as address:
        yield address


@pytest.fixture(scope="module")
def server(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, port = tmp_path_factory.mktemp("oidc"), free_port()
    settings = settings_for(provider, port, str(folder))
    with serving(folder / "log", port, without=("jail", "workers"), **settings) as running:
        yield running


class Browser:
    """Follows redirects and keeps cookies, as the student's does."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def open(self, url: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        data = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(url, data, headers=ASKS_FOR_A_PAGE)
        try:
            with self._opener.open(request, timeout=300) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.url, refused.read().decode()

    def sign_in(self, name: str, path: str = "/door") -> tuple[int, str, str]:
        """Follow the one link of the login page, as a student does."""
        _, _, login_page = self.open(f"http://{HOST}:{self.server.port}{path}")
        link = html.unescape(re.findall(r'class="button" href="([^"]+)"', login_page)[0])
        status, url, form = self.open(f"http://{HOST}:{self.server.port}{link}")
        assert status == 200, form
        assert f":{self.server.port}/" not in url  # the provider's own page
        return self.open(url, {"sub": name})

    @property
    def cookie(self) -> dict[str, str]:
        pairs = (f"{each.name}={each.value}" for each in self.jar)
        return {"cookie": "; ".join(pairs)}


def test_every_route_but_the_way_in_is_closed(server: Server, provider: str) -> None:
    found = routes(**settings_for(provider, server.port, "unused"), cookie_secret="s" * 32)
    paths = {re.sub(r"\{(\w+)(:\w+)?\}", "x", path) or "/" for _, path, _ in found}

    assert paths > SIGNING_IN
    closed = {
        (method, path): server.ask(method, path).status
        for path in sorted(paths - SIGNING_IN)
        for method in ("GET", "POST", "PUT", "DELETE")
    }
    assert set(closed.values()) == {401}, closed
    assert server.refusal() == 403


def test_a_stranger_gets_the_login_page_which_leads_to_the_provider(server: Server) -> None:
    shown = server.ask("GET", "/tensors", headers=ASKS_FOR_A_PAGE)

    assert shown.status == 401
    assert 'href="/door/sign-in?next=%2Ftensors"' in shown.text
    assert "<script" not in shown.text


def test_a_student_signs_in_and_out(server: Server) -> None:
    browser = Browser(server)
    status, url, page = browser.sign_in("ada")

    assert (status, urllib.parse.urlsplit(url).port) == (200, server.port)
    assert "<form" not in page
    assert server.refusal(browser.cookie) == 0
    assert server.ask("GET", "/_stcore/health", headers=browser.cookie).status == 200
    upload = server.ask("PUT", "/_stcore/upload_file/x/y", body=b"x", headers=browser.cookie)
    assert upload.status != 401

    browser.open(f"http://{HOST}:{server.port}/auth/logout")
    assert server.refusal(browser.cookie) == 403


LINKS = [
    "/tensors?lang=zh&step=moving&tensors_rows=7&x=%25%2B%26%E5%BC%A0+%3B",
    f"/builder?network={'k9_-' * 1_000}",  # as long as a network's link may be
]


@pytest.mark.parametrize("link", LINKS)
def test_a_deep_link_survives_the_provider(server: Server, link: str) -> None:
    browser = Browser(server)

    status, url, _ = browser.sign_in("ada", link)

    assert status == 200
    assert url == f"http://{HOST}:{server.port}{link}"
    assert not [each.name for each in browser.jar if each.name.startswith(return_url.COOKIE)]


def test_a_visitor_who_gives_up_half_way_may_begin_again_at_the_same_link(server: Server) -> None:
    browser = Browser(server)
    here = f"http://{HOST}:{server.port}"
    browser.open(f"{here}/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving")

    status, url, page = browser.open(f"{here}/oauth2callback?error=access_denied&state=x")

    assert (status, url) == (401, f"{here}/tensors?step=moving")
    assert "next=%2Ftensors%3Fstep%3Dmoving" in page


@pytest.mark.parametrize("name", ["eve", "mallory"])
def test_an_account_that_the_class_does_not_know_stays_outside(server: Server, name: str) -> None:
    browser = Browser(server)
    status, _, page = browser.sign_in(name)

    assert status == 403
    assert "does not belong to the class" in page
    assert server.refusal(browser.cookie) == 403
    assert server.ask("GET", "/_stcore/health", headers=browser.cookie).status == 401


def test_a_forged_cookie_opens_nothing(server: Server) -> None:
    browser = Browser(server)
    browser.sign_in("ada")
    genuine = next(each.value for each in browser.jar if each.name == "_streamlit_user")
    assert genuine
    other = "B" if genuine[20] == "A" else "A"
    forged = [
        "",
        "chunks-3",
        genuine[:20] + other + genuine[21:],  # another account
        genuine.rpartition(".")[0] + "." + "A" * 27,  # another signature
        genuine[:-1],
        json.dumps(PEOPLE["ada"]),
    ]

    assert server.refusal({"cookie": f"_streamlit_user={genuine}"}) == 0
    for each in forged:
        assert server.refusal({"cookie": f"_streamlit_user={each}"}) == 403, each
