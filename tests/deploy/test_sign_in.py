"""Signing in with a real provider, through the shipped nginx, to one real web process."""

import asyncio
import html
import http.client
import random
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.deploy.nginx import NAME, Proxy, program, proxied
from tests.deploy.replica import Replica
from tests.deploy.students import LESSON, Student
from tests.deploy.tab import Browser, Tab
from tests.hosting import identity
from tests.hosting.server import HOST, Reply

LINK = f"/{LESSON}?gpus=3&lang=en"
DRAWN = random.Random(0)
GROUPS = [str(uuid.UUID(int=DRAWN.getrandbits(128))) for _ in range(150)]
PEOPLE = {
    "ada": {"email": "ada@class.example", "email_verified": True, "groups": GROUPS},
    "eve": {"email": "eve@elsewhere.example", "email_verified": True},
    "grace": {"email": "Grace@Staff.example", "email_verified": True},
}
A_LINE = 8_192  # bytes that a header may have by websockets' own bound


@dataclass
class Guest(Browser):
    """A browser that follows redirects, to the provider and back."""

    given: list[str] = field(default_factory=list)

    def take(self, given: str) -> None:
        self.given += given.splitlines()
        super().take(given)

    def follow(self, path: str) -> str:
        """The address of the provider to which a path of the playground leads."""
        for _ in range(4):
            leads_to = self.open(path).headers["location"]
            if not leads_to.startswith("/"):
                return leads_to
            path = leads_to
        raise AssertionError(path)

    def begin(self, link: str) -> str:
        """Open a link, follow the login page's; where the provider asks for a name."""
        login_page = self.open(link)
        assert login_page.status == 401
        (link,) = re.findall(r'class="button" href="([^"]+)"', login_page.text)
        return self.follow(html.unescape(link))

    def end(self, address: str, name: str) -> Reply:
        """Say a name to the provider, and go where it sends the browser."""
        back = urlsplit(say_to_the_provider(address, name))
        assert (back.scheme, back.netloc) == ("https", f"{NAME}:{self.proxy.port}")
        came_back = self.open(f"{back.path}?{back.query}")
        self.ask("GET", "/_stcore/health")  # gives out the token that a tab shows
        return came_back

    def sign_in(self, name: str, link: str) -> Reply:
        came_back = self.end(self.begin(link), name)
        assert (came_back.status, came_back.headers["location"]) == (302, link)
        return self.open(link)


def say_to_the_provider(address: str, name: str) -> str:
    """Where the provider sends who has signed in as anyone."""
    asked = urlsplit(address)
    connection = http.client.HTTPConnection(asked.netloc, timeout=300)
    form = {"content-type": "application/x-www-form-urlencoded"}
    connection.request("POST", f"{asked.path}?{asked.query}", urlencode({"sub": name}), form)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 302
    return answer.headers["location"]


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    program()
    with identity.provider(PEOPLE) as address:
        yield address


@pytest.fixture(scope="module")
def settings(provider: str) -> dict[str, str]:
    return {
        "gate": "oidc",
        "cookie_secret": "s" * 32,
        "oidc_metadata": f"{provider}/.well-known/openid-configuration",
        "oidc_client_id": "playground",
        "oidc_client_secret": "a secret of the provider",
        "oidc_allowed": "@class.example",
        "teachers": "grace@staff.example",
    }


@pytest.fixture(scope="module")
def replica(settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Replica:
    """Not started: it must know first where the proxy listens."""
    folder = tmp_path_factory.mktemp("replica")
    settings["data_folder"] = str(folder)
    return Replica(folder / "log", settings, without=["jail", "workers"])


@pytest.fixture(scope="module")
def proxy(
    settings: dict[str, str], replica: Replica, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("nginx")
    with proxied(folder, [replica.port]) as started:
        settings["public_address"] = f"https://{NAME}:{started.port}"
        try:
            replica.start()
            yield started
        finally:
            replica.end()


def test_a_student_of_many_groups_comes_to_the_lesson_whatever_restarts_meanwhile(
    proxy: Proxy, replica: Replica
) -> None:
    guest = Guest(proxy)
    asked = guest.begin(LINK)
    public = f"https://{NAME}:{proxy.port}"
    assert parse_qs(urlsplit(asked).query)["redirect_uri"] == [f"{public}/oauth2callback"]
    assert proxy.refusal(guest.headers) == 403

    replica.stop()
    replica.start()
    assert guest.end(asked, "ada").headers["location"] == LINK
    assert guest.open(LINK).status == 200
    assert len(guest.headers["cookie"]) > A_LINE
    assert proxy.refusal(guest.headers) == 0

    async def learn() -> None:
        student = Student(guest, gpus=3)
        await student.arrive()
        await student.click()
        assert "teacher" not in student.tab.pages
        await student.leave()

    asyncio.run(learn())
    assert {line.partition("=")[0] for line in guest.given} > {
        "playground_replica",
        "playground_onward_0",
        "_streamlit_session",
        "_streamlit_user",
    }
    assert [line for line in guest.given if "; secure" not in line.lower()] == []


def test_a_visitor_who_signs_out_is_led_to_the_provider_by_a_link(proxy: Proxy) -> None:
    guest = Guest(proxy)
    assert guest.sign_in("ada", LINK).status == 200
    inside = guest.open("/door")
    (way_out,) = re.findall(r'href="(/auth/[^"]+)"', inside.text)
    assert "<form" not in inside.text  # the content security policy would keep it here
    ended = urlsplit(guest.follow(way_out))

    back = parse_qs(ended.query)["post_logout_redirect_uri"]
    assert ended.netloc.startswith(f"{HOST}:")
    assert back == [f"https://{NAME}:{proxy.port}/oauth2callback"]
    assert guest.open("/oauth2callback").headers["location"] == "/"
    assert guest.open(LINK).status == 401
    assert proxy.refusal(guest.headers) == 403


def test_another_account_stays_outside(proxy: Proxy) -> None:
    guest = Guest(proxy)
    refused = guest.sign_in("eve", LINK)

    assert (refused.status, "does not belong to the class" in refused.text) == (403, True)
    assert proxy.refusal(guest.headers) == 403


def test_a_teacher_comes_in_and_has_a_page_more(proxy: Proxy) -> None:
    guest = Guest(proxy)
    assert guest.sign_in("grace", "/teacher").status == 200

    async def look() -> None:
        async with Tab(guest) as tab:
            run = await tab.visit("teacher")
            assert not run.errors
            assert "teacher" in tab.pages

    asyncio.run(look())
