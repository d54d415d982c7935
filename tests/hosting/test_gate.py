"""A real server with a class code: what a stranger gets of it, route by route."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from tests.hosting.browser import Browser
from tests.hosting.server import CODE, GATED, TOKEN, Server, routes, serving
from tests.waiting import MAX_SECONDS

SETTINGS = {**GATED, "metrics_token": TOKEN, "log_format": "json"}
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
    "/index.html",
    "/favicon.png",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder, without = tmp_path_factory.mktemp("gated"), ("jail", "workers")
    with serving(folder, without, **SETTINGS) as running:  # a stranger does not come so far
        yield running


@pytest.fixture(scope="module")
def browser(server: Server) -> Browser:
    entered = Browser(server)
    assert entered.enter(CODE).status == 303
    return entered


def test_every_route_of_the_app_is_closed(server: Server) -> None:
    paths = routes(**SETTINGS)

    assert {"/_stcore/stream", "/_stcore/metrics", "/api/ready"} <= paths
    assert "/_stcore/upload_file/x/x" in paths
    assert server.let_in(paths - FOR_ALL, METHODS) == set()


@pytest.mark.parametrize("path", TRICKS)
def test_no_spelling_of_a_path_leads_in(server: Server, path: str) -> None:
    answer = Browser(server).open(path)

    assert answer.status == 401
    assert "<form" in answer.text
    assert "streamlit" not in answer.text.lower()
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_a_cookie_opens_the_websocket_pages_and_their_parts(
    server: Server, browser: Browser
) -> None:
    assert server.refusal() == 403
    assert server.refusal({"cookie": browser.headers["cookie"][:-3]}) == 403
    assert server.refusal(browser.headers) == 0

    page = browser.open("/tensors")
    (script,) = re.findall(r'src="\.?(/static/js/[^"]+)"', page.text)
    assert page.status == 200
    assert browser.ask("GET", script).status == 200
    assert server.ask("GET", script).status == 401
    assert browser.ask("GET", "/_stcore/health").status == 200


def test_health_reports_to_a_stranger_only_ok(server: Server) -> None:
    body = json.loads(server.ask("GET", "/api/health").body)

    assert set(body) == {"status"}
    assert body["status"] in ("ok", "not ok")


def test_metrics_are_for_the_token_alone(server: Server, browser: Browser) -> None:
    read = server.ask("GET", "/api/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    samples = {sample.name for family in parse(read.text) for sample in family.samples}

    assert browser.ask("GET", "/api/metrics").status == 401
    assert server.ask("GET", "/api/metrics", headers={"authorization": "Bearer x"}).status == 401
    assert {"playground_up", "playground_rerun_seconds_count", "playground_pages_open"} <= samples
    assert "playground_uploads_bytes" in samples


def test_an_upload_without_the_cookie_is_not_even_looked_at(
    server: Server, browser: Browser
) -> None:
    path = "/_stcore/upload_file/no-session/file"

    assert server.ask("PUT", path, body=b"x" * 100_000).status == 401
    assert browser.ask("PUT", path, b"x").status != 401


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"gate": "code"}, "PLAYGROUND_GATE is code, so PLAYGROUND_CLASS_CODE is needed."),
        ({"gaet": "code"}, "PLAYGROUND_GAET is no setting of the playground"),
    ],
)
def test_a_setting_that_cannot_be_meant_ends_the_start_with_a_sentence(
    tmp_path: Path, settings: dict[str, str], sentence: str
) -> None:
    server = Server(tmp_path, settings)

    with suppress(RuntimeError):  # it may listen before it ends
        server.start()
    assert server.process is not None
    status, output = server.process.wait(MAX_SECONDS), server.log.read_text()

    assert status != 0
    assert sentence in output
    assert "Traceback" not in output
