"""A real server and a real OpenID Connect provider, both on loopback."""

import json
from collections.abc import Iterator

import pytest

from hosting.gate import return_url
from tests.hosting.browser import Browser, provider
from tests.hosting.server import HOST, SECRET, Server, free_port, routes, serving

PEOPLE = {
    "ada": {"email": "ada@class.example", "email_verified": True},
    "eve": {"email": "eve@elsewhere.example", "email_verified": True},
    "mallory": {"email": "mallory@class.example", "email_verified": False},
}
SIGNING_IN = {"/auth/login", "/auth/logout", "/oauth2callback", "/api/health"}


@pytest.fixture(scope="module")
def settings() -> Iterator[dict[str, str]]:
    with provider(PEOPLE) as named:
        yield named


@pytest.fixture(scope="module")
def server(settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, port = tmp_path_factory.mktemp("oidc"), free_port()
    settings = {"public_address": f"http://{HOST}:{port}", "data_folder": str(folder), **settings}
    with serving(folder / "log", port, without=("jail", "workers"), **settings) as running:
        yield running


@pytest.fixture
def browser(server: Server) -> Browser:
    return Browser(server)


def test_every_route_but_the_way_in_is_closed(server: Server, settings: dict[str, str]) -> None:
    paths = routes(public_address=server.url, cookie_secret=SECRET, **settings)

    assert paths > SIGNING_IN
    closed = {
        (method, path): server.ask(method, path).status
        for path in sorted(paths - SIGNING_IN)
        for method in ("GET", "POST", "PUT", "DELETE")
    }
    assert set(closed.values()) == {401}, closed
    assert server.refusal() == 403


def test_a_stranger_gets_the_login_page_which_leads_to_the_provider(browser: Browser) -> None:
    shown = browser.open("/tensors")

    assert shown.status == 401
    assert 'href="/door/sign-in?next=%2Ftensors"' in shown.text
    assert "<script" not in shown.text


def test_a_student_signs_in_and_out(browser: Browser) -> None:
    page = browser.sign_in("ada", "/")

    assert (page.status, "<form" in page.text) == (200, False)
    assert not browser.is_refused()
    assert browser.ask("GET", "/_stcore/health").status == 200
    assert browser.ask("PUT", "/_stcore/upload_file/x/y", b"x").status != 401

    browser.open("/auth/logout")
    assert browser.is_refused()


@pytest.mark.parametrize(
    "link",
    [
        "/tensors?lang=zh&step=moving&tensors_rows=7&x=%25%2B%26%E5%BC%A0+%3B",
        f"/builder?network={'k9_-' * 1_000}",  # as long as a network's link may be
    ],
)
def test_a_deep_link_survives_the_provider(browser: Browser, link: str) -> None:
    assert browser.sign_in("ada", link).status == 200
    assert not [name for name in browser.cookies if name.startswith(return_url.COOKIE)]


def test_a_visitor_who_gives_up_half_way_may_begin_again_at_the_same_link(browser: Browser) -> None:
    browser.open("/door/sign-in?next=%2Ftensors%3Fstep%3Dmoving")

    back = browser.open("/oauth2callback?error=access_denied&state=x").headers["location"]
    page = browser.open(back)

    assert (page.status, back) == (401, "/tensors?step=moving")
    assert "next=%2Ftensors%3Fstep%3Dmoving" in page.text


@pytest.mark.parametrize("name", ["eve", "mallory"])
def test_an_account_that_the_class_does_not_know_stays_outside(browser: Browser, name: str) -> None:
    page = browser.sign_in(name, "/")

    assert page.status == 403
    assert "does not belong to the class" in page.text
    assert browser.is_refused()
    assert browser.ask("GET", "/_stcore/health").status == 401


def test_a_forged_cookie_opens_nothing(server: Server, browser: Browser) -> None:
    browser.sign_in("ada", "/")
    genuine = browser.cookies["_streamlit_user"]
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
