"""The shipped nginx configuration, alone and in front of one real web process with a class code."""

import asyncio
import gzip
import http.client
import http.server
import json
import re
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.deploy.nginx import BEHIND, Proxy, program, proxied, write_configuration
from tests.deploy.students import LESSON, QUERY, STEP, Student, Tab, every, until, working
from tests.hosting.browser import FORM, HEAD, TAIL, Browser
from tests.hosting.server import CODE, HOST, ROOT, TOKEN, Server, answer_of, serving

pytestmark = pytest.mark.anyio
TRIES = 3
SETTINGS = {**BEHIND, "metrics_token": TOKEN, "code_tries": str(TRIES)}
MEBIBYTE = 2**20
CONFIG = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
MAX_MEGABYTES = CONFIG["server"]["maxUploadSize"]
ONCE = (
    "content-security-policy",
    "referrer-policy",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
)
BLOCKED = [
    "/_stcore/metrics",
    "//_stcore/metrics",
    "/_stcore/../_stcore/metrics",
    "/%5fstcore/metrics",
    "/_stcore%2fmetrics",
    "/door/../_stcore/metrics",
    "/_stcore/metrics?lang=zh",
    "/_stcore/agent/openapi.json",
    "/_stcore/agent/mcp",
    "/_stcore/script-health-check",
]


@pytest.fixture(scope="module")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    program()
    with serving(tmp_path_factory.mktemp("replica"), without=["jail"], **SETTINGS) as started:
        yield started


@pytest.fixture(scope="module")
def proxy(replica: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxied(tmp_path_factory.mktemp("nginx"), [replica.port]) as started:
        yield started


@pytest.fixture
def browser(proxy: Proxy) -> Browser:
    """One that knows the code."""
    entered = Browser(proxy)
    assert entered.enter(CODE).status == 303
    return entered


def test_plain_http_leads_to_https(proxy: Proxy) -> None:
    with closing(http.client.HTTPConnection(HOST, proxy.plain_port, timeout=300)) as connection:
        connection.request("GET", "/tensors?lang=zh")
        answer = answer_of(connection)

    assert (answer.status, answer.headers["location"]) == (308, f"{proxy.url}/tensors?lang=zh")


def test_a_stranger_gets_the_login_page_and_nothing_behind_it(proxy: Proxy) -> None:
    stranger = Browser(proxy)
    login_page = stranger.open("/tensors?lang=zh")

    assert (login_page.status, "课堂口令" in login_page.text) == (401, True)
    assert proxy.refusal() == 403
    assert stranger.ask("PUT", "/_stcore/upload_file/a/b", HEAD + TAIL, FORM).status == 401
    assert stranger.ask("GET", "/_stcore/host-config").status == 401
    assert stranger.ask("GET", "/api/metrics").status == 401


async def test_with_the_code_a_link_opens_its_lesson_and_a_run_is_answered(
    browser: Browser,
) -> None:
    page = browser.open("/tensors?gpus=3&lang=zh")
    script = re.search(r'src="\./(static/js/[^"]+)"', page.text)
    assert page.status == 200
    assert script
    asset = browser.ask("GET", f"/{script[1]}")
    assert (asset.status, "javascript" in asset.headers["content-type"]) == (200, True)
    squeezed = browser.ask("GET", f"/{script[1]}", headers={"accept-encoding": "gzip"})
    assert gzip.decompress(squeezed.body) == asset.body

    async with Tab(browser) as tab:
        run = await tab.visit(LESSON, f"gpus=3&lang=zh&{QUERY}")
        assert not run.errors
        assert tab.choices["gpus"] == ("double_value", 3.0)
        button = tab.by_key(f"{LESSON}-{STEP}-run")
        assert not (await tab.give(button, ("trigger_value", True))).errors
        assert tab.by_key(f"{LESSON}-{STEP}-again")  # it has been answered


def test_each_security_header_is_there_once(browser: Browser) -> None:
    for path in ("/", "/tensors", "/_stcore/health"):
        headers = browser.open(path).headers
        assert [name for name in ONCE if "\n" in headers[name] or "," in headers[name]] == []
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert headers["server"] == "nginx"


def test_the_cookies_of_gate_and_proxy_travel_encrypted_only(proxy: Proxy) -> None:
    given = proxy.ask("POST", "/door", body=f"code={CODE}".encode()).headers["set-cookie"]

    cookies = {line.partition("=")[0]: line.lower() for line in given.splitlines()}
    assert set(cookies) == {"playground_visitor", "playground_replica"}
    assert all("secure" in line and "httponly" in line for line in cookies.values())


@pytest.mark.parametrize("path", BLOCKED)
def test_what_is_not_for_visitors_ends_at_the_proxy(browser: Browser, path: str) -> None:
    assert browser.ask("GET", path).status == 404


def test_what_the_proxy_blocks_is_there_behind_it(replica: Server, browser: Browser) -> None:
    reply = replica.ask("GET", "/_stcore/metrics", headers=browser.headers)

    assert (reply.status, "session_events_total" in reply.text) == (200, True)


def test_health_and_metrics_pass_and_tell_strangers_nothing(proxy: Proxy) -> None:
    health = proxy.ask("GET", "/api/health")
    token = {"authorization": f"Bearer {TOKEN}"}

    assert set(json.loads(health.text)) == {"status"}
    assert "playground_pages_open" in proxy.ask("GET", "/api/metrics", headers=token).text


async def test_an_upload_may_be_as_large_as_the_playground_allows_and_no_larger(
    browser: Browser,
) -> None:
    async with Tab(browser) as tab:
        await tab.visit(LESSON)
        sizes = (MAX_MEGABYTES * MEBIBYTE - 4096, MAX_MEGABYTES * MEBIBYTE + 100 * 1024)
        fits, above = (browser.upload(tab.session, n, b"x" * n) for n in sizes)
        announced = {"content-length": str(100 * MEBIBYTE), **FORM}
        path = f"/_stcore/upload_file/{tab.session}/announced"
        far_above = browser.ask("PUT", path, headers=announced)

    assert (fits.status, fits.text) == (204, "")
    assert (above.status, f"{MAX_MEGABYTES} MB" in above.text) == (413, True)  # in our own words
    assert far_above.status == 413  # not one byte of it was read
    assert browser.ask("POST", "/door", b"code=" + b"x" * 100_000).status == 413


def test_wrong_codes_count_by_the_visitor_whatever_address_is_invented(proxy: Proxy) -> None:
    def guess(source: str, invented: str) -> int:
        forged = dict.fromkeys(("x-forwarded-for", "x-real-ip"), invented)
        forged["forwarded"] = f"for={invented}"
        return proxy.ask("POST", "/door", body=b"code=wrong", headers=forged, source=source).status

    guesses = [guess("127.0.0.2", f"203.0.113.{number}") for number in range(TRIES + 2)]

    assert guesses == [403] * TRIES + [429] * 2
    assert guess("127.0.0.3", "127.0.0.2") == 403


def test_only_the_proxy_is_believed_about_addresses(replica: Server) -> None:
    guesses = [
        replica.ask(
            "POST",
            "/door",
            body=b"code=wrong",
            headers={"x-forwarded-for": f"203.0.113.{number}"},
            source="127.0.0.9",
        ).status
        for number in range(TRIES + 1)
    ]

    assert guesses == [403] * TRIES + [429]


async def test_the_log_reports_neither_addresses_nor_what_stands_in_a_link(
    proxy: Proxy, browser: Browser
) -> None:
    browser.source = "127.0.0.7"
    browser.open("/lab?code=hidden-program")

    await until(lambda: '"/lab"' in proxy.log.read_text())  # it is written afterwards
    lines = [json.loads(line) for line in proxy.log.read_text().splitlines()]
    assert [line["replica"] for line in lines if line["path"] == "/lab"] == ["1"]
    assert "hidden-program" not in proxy.log.read_text()
    assert "127.0.0.7" not in proxy.log.read_text()


async def test_a_restart_under_load_loses_nothing_that_stands_in_an_address(
    replica: Server, proxy: Proxy, browser: Browser
) -> None:
    students = [Student(Browser(proxy, cookies={**browser.cookies}), gpus) for gpus in (1, 3, 4)]

    await every([student.arrive() for student in students])
    async with working(students):
        await asyncio.to_thread(replica.stop)
        closed = await asyncio.to_thread(browser.open, "/tensors?gpus=3")
        assert (closed.status, closed.headers["retry-after"]) == (503, "5")
        posted = await asyncio.to_thread(browser.enter, CODE)
        assert (posted.status, posted.text) == (503, closed.text)
        await asyncio.to_thread(replica.start)
        await until(lambda: all(student.cuts for student in students))
    await every([student.leave() for student in students])

    assert "starting again" in closed.text
    assert "正在重新启动" in closed.text
    for student in students:
        assert student.cuts == [(before, before) for before, _ in student.cuts]
        assert student.cuts[0][0]["gpus"] == ("double_value", float(student.gpus))
        assert student.browser.open("/tensors").status == 200  # nobody has to sign in again


def test_a_visitor_who_asks_for_another_name_gets_no_answer(proxy: Proxy) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        proxy.ask("GET", "/", headers={"host": "elsewhere.example"})


def test_another_site_cannot_use_a_visitors_cookie(proxy: Proxy, browser: Browser) -> None:
    assert proxy.refusal(browser.headers) == 0
    assert proxy.refusal({**browser.headers, "origin": "https://elsewhere.example"}) == 403


# -- with a stand-in where the playground would be -------------------------------------------------


class Behind(http.server.BaseHTTPRequestHandler):
    """Stands in for the playground where only the proxy is looked at."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(303)
        for part in range(8):
            self.send_header("set-cookie", f"part{part}={'x' * 4_000}")
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[Proxy]:
    with http.server.ThreadingHTTPServer((HOST, 0), Behind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxied(tmp_path, [server.server_port]) as started:
            yield started
        server.shutdown()


def test_the_large_headers_of_a_sign_in_pass(stand_in: Proxy) -> None:
    answer = stand_in.ask("GET", "/oauth2callback")

    assert answer.status == 303
    assert sum(line.startswith("part") for line in answer.headers["set-cookie"].splitlines()) == 8


def test_a_class_comes_in_at_once_and_a_flood_does_not(stand_in: Proxy) -> None:
    statuses: list[int] = []
    with closing(stand_in.open(HOST)) as connection:
        while 429 not in statuses and len(statuses) < 5_000:
            connection.request("POST", "/door", b"code=wrong")
            statuses.append(answer_of(connection).status)

    assert set(statuses[:-1]) == {204}
    assert statuses[-1] == 429
    assert len(statuses) > 400


def test_the_shipped_configuration_is_valid(tmp_path: Path) -> None:
    written = write_configuration(tmp_path, Proxy(tmp_path), [8501, 8502, 8503])
    command = [program(), "-t", "-c", str(written)]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=300)

    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr
    assert "${" not in written.read_text()
