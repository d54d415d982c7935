"""Only the hosts that an operator names may show the playground in a frame."""

import re
from collections.abc import Iterator

import pytest

from hosting.settings import read
from tests.hosting.server import Server, serving
from ui.middleware import SecurityHeaders, content_security_policy

PUBLIC = "https://playground.example.edu"
CODE = "tensors"
FORM = {"content-type": "application/x-www-form-urlencoded"}


def ancestors(policy: str) -> str:
    (found,) = re.findall(r"frame-ancestors ([^;]*)", policy)
    return str(found)


def attributes(cookie: str) -> set[str]:
    return {part.strip().lower() for part in cookie.split(";")[1:]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("embedded")
    settings = {
        "gate": "code",
        "class_code": CODE,
        "public_address": PUBLIC,
        "embedded_by": "Moodle.example.edu, huggingface.co:8443",
        "data_folder": str(folder),
    }
    with serving(folder, without=("jail", "workers"), **settings) as running:
        yield running


@pytest.mark.parametrize("path", ["/door", "/", "/_stcore/health"])
def test_named_hosts_and_no_others_may_frame_every_answer(server: Server, path: str) -> None:
    headers = server.ask("GET", path).headers

    found = ancestors(headers["content-security-policy"])
    assert found == "'self' https://moodle.example.edu https://huggingface.co:8443"
    assert "x-frame-options" not in headers  # it would refuse them


def test_without_the_setting_the_playground_alone_may_frame_itself() -> None:
    assert ancestors(content_security_policy(read({}).embedded_by)) == "'self'"
    assert (b"x-frame-options", b"SAMEORIGIN") in SecurityHeaders(lambda *_: None).headers


def test_a_visitor_in_a_frame_keeps_the_cookies_of_gate_and_uploads(server: Server) -> None:
    entered = server.ask("POST", "/door", body=f"code={CODE}".encode(), headers=FORM)
    visitor = entered.headers["set-cookie"]
    assert (entered.status, visitor.partition("=")[0]) == (303, "playground_visitor")
    inside = server.ask("GET", "/_stcore/health", headers={"cookie": visitor.partition(";")[0]})
    token = inside.headers["set-cookie"]

    assert inside.status == 200
    assert token.startswith("_streamlit_xsrf=")
    for cookie in (visitor, token):
        assert {"secure", "samesite=none", "partitioned"} <= attributes(cookie)
        assert cookie.lower().count("samesite") == 1
    assert "httponly" in attributes(visitor)
