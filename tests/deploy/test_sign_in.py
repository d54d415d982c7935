"""Signing in with a real provider, through the shipped nginx, to one real web process."""

import random
import uuid
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.deploy.nginx import program, proxied
from tests.deploy.students import LESSON, Student, Tab
from tests.hosting.browser import Browser, provider
from tests.hosting.server import SECRET, Server

pytestmark = pytest.mark.anyio
LINK = f"/{LESSON}?gpus=3&lang=en"
DRAWN = random.Random(0)
GROUPS = [str(uuid.UUID(int=DRAWN.getrandbits(128))) for _ in range(150)]
PEOPLE = {
    "ada": {"email": "ada@class.example", "email_verified": True, "groups": GROUPS},
    "grace": {"email": "Grace@Staff.example", "email_verified": True},
}
A_LINE = 8_192  # bytes that a header may have by websockets' own bound


@pytest.fixture(scope="module")
def settings():
    program()
    with provider(PEOPLE) as named:
        yield {**named, "cookie_secret": SECRET, "teachers": "grace@staff.example"}


@pytest.fixture(scope="module")
def replica(settings, tmp_path_factory):
    """Not started: it must know first where the proxy listens."""
    return Server(tmp_path_factory.mktemp("replica"), settings, without=["jail", "workers"])


@pytest.fixture(scope="module")
def proxy(settings, replica, tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("nginx"), [replica.port]) as started:
        settings["public_address"] = started.url
        with replica.running():
            yield started


@pytest.fixture
def guest(proxy):
    return Browser(proxy)


async def test_a_student_of_many_groups_comes_to_the_lesson_whatever_restarts_meanwhile(
    proxy, replica, guest
):
    asked = guest.begin(LINK)
    assert parse_qs(urlsplit(asked).query)["redirect_uri"] == [f"{proxy.url}/oauth2callback"]
    assert guest.is_refused()

    replica.stop()
    replica.start()
    assert guest.end(asked, "ada").headers["location"] == LINK
    assert guest.open(LINK).status == 200
    assert len(guest.headers["cookie"]) > A_LINE
    assert not guest.is_refused()

    student = Student(guest, gpus=3)
    await student.arrive()
    await student.click()
    assert "teacher" not in student.tab.pages
    await student.leave()

    assert {line.partition("=")[0] for line in guest.given} > {
        "playground_replica",
        "playground_onward_0",
        "_streamlit_session",
        "_streamlit_user",
    }
    assert [line for line in guest.given if "; secure" not in line.lower()] == []


async def test_a_teacher_comes_in_and_has_a_page_more(guest):
    assert guest.sign_in("grace", "/teacher").status == 200
    async with Tab(guest) as tab:
        run = await tab.visit("teacher")
        assert not run.errors
        assert "teacher" in tab.pages
