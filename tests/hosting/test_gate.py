import json
import re

import pytest

from hosting.settings import read
from tests.hosting.browser import Browser
from tests.hosting.server import CODE, GATED, TOKEN, routes, serving
from ui.middleware import SecurityHeaders, content_security_policy

SETTINGS = {
    **GATED,
    "metrics_token": TOKEN,
    "public_address": "https://playground.example.edu",
    "embedded_by": "Moodle.example.edu, huggingface.co:8443",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
FOR_ALL = {"/api/health"}
TRICKS = [
    "/tensors",
    "/?code=gradients",
    "//_stcore/metrics",
    "/_stcore/../_stcore/metrics",
    "/api/health/../../_stcore/metrics",
    "/%5fstcore/metrics",
    "/door/../_stcore/metrics",
    "/api/health%2f..%2f_stcore/metrics",
    "/static/index.html",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder, without = tmp_path_factory.mktemp("gated"), ("jail", "workers")
    with serving(folder, without, **SETTINGS) as running:  # a stranger does not come so far
        yield running


@pytest.fixture(scope="module")
def browser(server):
    entered = Browser(server)
    assert entered.enter(CODE).status == 303
    return entered


def test_every_route_of_the_app_is_closed(server):
    paths = routes(**SETTINGS)
    assert {"/_stcore/stream", "/_stcore/metrics", "/api/ready"} <= paths
    assert "/_stcore/upload_file/x/x" in paths
    assert server.let_in(paths - FOR_ALL, METHODS) == set()


@pytest.mark.parametrize("path", TRICKS)
def test_no_spelling_of_a_path_leads_in(server, path):
    answer = Browser(server).open(path)

    assert answer.status == 401
    assert "<form" in answer.text
    assert "streamlit" not in answer.text.lower()
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_a_cookie_opens_the_websocket_pages_and_their_parts(server, browser):
    assert server.refusal() == 403
    assert server.refusal({"cookie": browser.headers["cookie"][:-3]}) == 403
    assert server.refusal(browser.headers) == 0

    page = browser.open("/tensors")
    (script,) = re.findall(r'src="\.?(/static/js/[^"]+)"', page.text)
    assert page.status == 200
    assert browser.ask("GET", script).status == 200
    assert server.ask("GET", script).status == 401


def test_health_and_metrics_tell_nothing_but_to_the_token(server, browser):
    health = json.loads(server.ask("GET", "/api/health").body)
    assert set(health) == {"status"}
    assert health["status"] in ("ok", "not ok")
    assert browser.ask("GET", "/api/metrics").status == 401
    assert server.ask("GET", "/api/metrics", headers={"authorization": "Bearer x"}).status == 401
    assert server.metric("playground_pages_open") >= 0


def test_named_hosts_and_no_others_may_frame_every_answer(server):
    named = "; frame-ancestors 'self' https://moodle.example.edu https://huggingface.co:8443"
    for path in ("/door", "/", "/_stcore/health"):
        headers = server.ask("GET", path).headers
        assert headers["content-security-policy"].endswith(named)
        assert "x-frame-options" not in headers  # it would refuse them

    assert content_security_policy(read({}).embedded_by).endswith("; frame-ancestors 'self'")
    assert (b"x-frame-options", b"SAMEORIGIN") in SecurityHeaders(lambda *_: None).headers


def test_a_visitor_in_a_frame_keeps_the_cookies_of_gate_and_uploads(server):
    guest = Browser(server)
    assert guest.enter(CODE).status == 303
    assert guest.ask("GET", "/_stcore/health").status == 200

    given = {line.partition("=")[0]: line.lower() for line in guest.given}
    assert set(given) == {"playground_visitor", "_streamlit_xsrf"}
    for cookie in given.values():
        assert {"secure", "samesite=none", "partitioned"} <= set(cookie.split("; "))
        assert cookie.count("samesite") == 1
    assert "; httponly" in given["playground_visitor"]
