"""A real server with a class code: what a stranger gets of it, route by route."""

import json
import re
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from tests.hosting.asgi import ASKS_FOR_A_PAGE
from tests.hosting.server import Reply, Server, last_words, routes, serving

CODE = "gradients"
TOKEN = "m" * 40
GATED = {
    "gate": "code",
    "class_code": CODE,
    "cookie_secret": "s" * 32,
    "metrics_token": TOKEN,
    "uploads_per_minute": "2",
    "log_format": "json",
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
FOR_ALL = {"/api/health"}
PARAMETER = re.compile(r"\{(\w+)(:\w+)?\}")
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
    folder = tmp_path_factory.mktemp("gated")
    without = ("jail", "workers")  # a stranger does not come so far
    with serving(folder / "log", without=without, data_folder=str(folder), **GATED) as running:
        yield running


@pytest.fixture(scope="module")
def cookie(server: Server) -> dict[str, str]:
    answer = server.ask("POST", "/door", body=f"code={CODE}".encode())
    assert answer.status == 303
    return {"cookie": answer.headers["set-cookie"].partition(";")[0]}


def test_every_route_of_the_app_is_closed(server: Server) -> None:
    found = routes(data_folder="unused", **GATED)
    paths = {PARAMETER.sub("x", path) or "/" for _, path, _ in found}

    assert {"/_stcore/stream", "/_stcore/metrics", "/api/ready"} <= paths
    assert "/_stcore/upload_file/x/x" in paths
    closed = {
        (method, path): server.ask(method, path).status
        for path in sorted(paths - FOR_ALL)
        for method in METHODS
    }
    assert set(closed.values()) == {401}, closed


@pytest.mark.parametrize("path", TRICKS)
def test_no_spelling_of_a_path_leads_in(server: Server, path: str) -> None:
    answer = server.ask("GET", path, headers=ASKS_FOR_A_PAGE)

    assert answer.status == 401
    assert "<form" in answer.text
    assert "streamlit" not in answer.text.lower()


def test_the_websocket_is_closed_and_a_cookie_opens_it(
    server: Server, cookie: dict[str, str]
) -> None:
    assert server.refusal() == 403
    assert server.refusal({"cookie": cookie["cookie"][:-3]}) == 403
    assert server.refusal(cookie) == 0


def test_a_cookie_opens_pages_and_their_parts(server: Server, cookie: dict[str, str]) -> None:
    page = server.ask("GET", "/tensors", headers={**cookie, **ASKS_FOR_A_PAGE})
    script = re.search(r'src="\.?(/static/js/[^"]+)"', page.text)

    assert page.status == 200
    assert script
    assert server.ask("GET", script[1], headers=cookie).status == 200
    assert server.ask("GET", script[1]).status == 401
    assert server.ask("GET", "/_stcore/health", headers=cookie).status == 200


def test_an_upload_without_a_cookie_is_not_even_looked_at(
    server: Server, cookie: dict[str, str]
) -> None:
    path = "/_stcore/upload_file/no-session/file"

    assert server.ask("PUT", path, body=b"x" * 100_000).status == 401
    assert server.ask("PUT", path, body=b"x", headers=cookie).status != 401


def test_health_reports_to_a_stranger_only_ok(server: Server) -> None:
    body = json.loads(server.ask("GET", "/api/health").body)

    assert set(body) == {"status"}
    assert body["status"] in ("ok", "not ok")


def test_metrics_are_for_the_token_alone(server: Server, cookie: dict[str, str]) -> None:
    read = server.ask("GET", "/api/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    samples = {sample.name for family in parse(read.text) for sample in family.samples}

    assert server.ask("GET", "/api/metrics", headers=cookie).status == 401
    assert server.ask("GET", "/api/metrics", headers={"authorization": "Bearer x"}).status == 401
    assert {"playground_up", "playground_rerun_seconds_count", "playground_pages_open"} <= samples
    assert "playground_uploads_bytes" in samples


def test_raw_uploads_of_a_session_end_at_its_limit(server: Server, cookie: dict[str, str]) -> None:
    def put(session: str) -> Reply:
        return server.ask(
            "PUT", f"/_stcore/upload_file/{session}/f", body=b"x" * 1_000, headers=cookie
        )

    replies = [put("one") for _ in range(3)]

    assert [reply.status == 429 for reply in replies] == [False, False, True]
    assert "retry-after" in replies[-1].headers
    assert put("other").status != 429


def test_the_login_page_has_the_security_headers(server: Server) -> None:
    answer = server.ask("GET", "/", headers=ASKS_FOR_A_PAGE)

    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"gate": "code"}, "PLAYGROUND_GATE is code, so PLAYGROUND_CLASS_CODE is needed."),
        ({"gaet": "code"}, "PLAYGROUND_GAET is no setting of the playground"),
    ],
)
def test_a_setting_that_cannot_be_meant_ends_the_start_with_a_sentence(
    settings: dict[str, str], sentence: str
) -> None:
    status, output = last_words(**settings)

    assert status != 0
    assert sentence in output
    assert "Traceback" not in output
