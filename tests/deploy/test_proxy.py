"""The shipped nginx configuration, alone and in front of two real web processes, which may end."""

import asyncio
import gzip
import http.client
import http.server
import json
import re
import threading
import tomllib
from contextlib import ExitStack, closing, suppress

import psutil
import pytest

from hosting.progress.database import open_database
from hosting.progress.database_poll import DatabasePoll
from hosting.progress.progress_writer import ProgressWriter
from hosting.progress.records import Poll, SpillFile
from hosting.progress.store import Store
from hosting.settings import Settings
from playground.catalog import Language
from tests.deploy.nginx import BEHIND, Proxy, program, proxied
from tests.deploy.students import LESSON, QUERY, STEP, Student, Tab, until, working
from tests.hosting.browser import FORM, HEAD, TAIL, Browser
from tests.hosting.server import CODE, HOST, ROOT, TOKEN, Address, Server, answer_of, serving
from tests.waiting import MAX_SECONDS
from ui.language import table

pytestmark = pytest.mark.anyio
TRIES = 3
SETTINGS = {**BEHIND, "metrics_token": TOKEN, "code_tries": str(TRIES)}
CLASS = 6
FILE = b"not a checkpoint"
POLLED, ANSWER, PRESS = ("tensors", "same_device_error"), "works", ("trigger_value", True)
COUNTED = table()["live.here-voted"].said(Language.EN)
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
def replicas(tmp_path_factory):
    """By the number that stands in the proxy's cookie."""
    program()
    settings = {"data_folder": str(tmp_path_factory.mktemp("data")), **SETTINGS}
    with ExitStack() as stack:
        yield {
            number: stack.enter_context(
                serving(tmp_path_factory.mktemp("replica"), without=["jail", "workers"], **settings)
            )
            for number in ("1", "2")
        }


@pytest.fixture(scope="module")
def proxy(replicas, tmp_path_factory):
    ports = [replica.port for replica in replicas.values()]
    with proxied(tmp_path_factory.mktemp("nginx"), ports) as started:
        yield started


@pytest.fixture
def browser(proxy):
    """One that knows the code."""
    entered = Browser(proxy)
    assert entered.enter(CODE).status == 303
    return entered


def test_plain_http_leads_to_https(proxy):
    with closing(http.client.HTTPConnection(HOST, proxy.plain_port, timeout=300)) as connection:
        connection.request("GET", "/tensors?lang=zh")
        answer = answer_of(connection)
    assert (answer.status, answer.headers["location"]) == (308, f"{proxy.url}/tensors?lang=zh")


def test_a_stranger_gets_the_login_page_and_nothing_behind_it(proxy):
    stranger = Browser(proxy)
    login_page = stranger.open("/tensors?lang=zh")

    assert (login_page.status, "课堂口令" in login_page.text) == (401, True)
    assert proxy.refusal() == 403
    assert stranger.ask("PUT", "/_stcore/upload_file/a/b", HEAD + TAIL, FORM).status == 401
    assert stranger.ask("GET", "/_stcore/host-config").status == 401
    assert set(json.loads(stranger.ask("GET", "/api/health").text)) == {"status"}
    assert stranger.ask("GET", "/api/metrics").status == 401
    token = {"authorization": f"Bearer {TOKEN}"}  # of the operator
    assert "playground_pages_open" in proxy.ask("GET", "/api/metrics", headers=token).text


async def test_with_the_code_a_link_opens_its_lesson_and_a_run_is_answered(browser):
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


def test_each_security_header_is_there_once_and_cookies_travel_encrypted_only(browser):
    cookies = {line.partition("=")[0]: line.lower() for line in browser.given}
    assert set(cookies) == {"playground_visitor", "playground_replica"}
    assert all("secure" in line and "httponly" in line for line in cookies.values())
    for path in ("/", "/tensors", "/_stcore/health"):
        headers = browser.open(path).headers
        assert [name for name in ONCE if "\n" in headers[name] or "," in headers[name]] == []
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert headers["server"] == "nginx"


def test_what_is_not_for_visitors_ends_at_the_proxy(replicas, browser):
    assert [path for path in BLOCKED if browser.ask("GET", path).status != 404] == []
    behind = replicas["1"].ask("GET", "/_stcore/metrics", headers=browser.headers)
    assert (behind.status, "session_events_total" in behind.text) == (200, True)


async def test_an_upload_may_be_as_large_as_the_playground_allows_and_no_larger(browser):
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


def test_wrong_codes_count_by_the_visitor_whatever_address_is_invented(proxy, replicas):
    def guess(server: Address, source: str, invented: str) -> int:
        forged = dict.fromkeys(("x-forwarded-for", "x-real-ip"), invented)
        forged |= {"forwarded": f"for={invented}", "cookie": "playground_replica=1"}
        return server.ask("POST", "/door", body=b"code=wrong", headers=forged, source=source).status

    # the replica believes the proxy about addresses, and nobody else
    for server, source in ((proxy, "127.0.0.2"), (replicas["1"], "127.0.0.9")):
        guesses = [guess(server, source, f"203.0.113.{number}") for number in range(TRIES + 2)]
        assert guesses == [403] * TRIES + [429] * 2
    assert guess(proxy, "127.0.0.3", "127.0.0.2") == 403


async def test_the_log_reports_neither_addresses_nor_what_stands_in_a_link(proxy, browser):
    browser.source = "127.0.0.7"
    browser.open("/lab?code=hidden-program")

    await until(lambda: '"/lab"' in proxy.log.read_text())  # it is written afterwards
    lines = [json.loads(line) for line in proxy.log.read_text().splitlines()]
    assert [line["replica"] for line in lines if line["path"] == "/lab"] == [browser.replica]
    assert "hidden-program" not in proxy.log.read_text()
    assert "127.0.0.7" not in proxy.log.read_text()


def test_another_name_gets_no_answer_and_another_site_cannot_use_a_visitors_cookie(proxy, browser):
    with pytest.raises(http.client.RemoteDisconnected):
        proxy.ask("GET", "/", headers={"host": "elsewhere.example"})
    assert proxy.refusal(browser.headers) == 0
    assert proxy.refusal({**browser.headers, "origin": "https://elsewhere.example"}) == 403


# -- with a stand-in where the playground would be -------------------------------------------------


class Behind(http.server.BaseHTTPRequestHandler):
    """Stands in for the playground where only the proxy is looked at."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


def test_a_class_comes_in_at_once_and_a_flood_does_not(tmp_path):
    statuses: list[int] = []
    with http.server.ThreadingHTTPServer((HOST, 0), Behind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxied(tmp_path, [server.server_port]) as proxy, closing(proxy.open(HOST)) as line:
            while 429 not in statuses and len(statuses) < 5_000:
                line.request("POST", "/door", b"code=wrong")
                statuses.append(answer_of(line).status)
        server.shutdown()

    assert set(statuses[:-1]) == {204}
    assert statuses[-1] == 429
    assert len(statuses) > 400


# -- one replica is lost, then all -----------------------------------------------------------------


def students_of(proxy: Proxy) -> list[Student]:
    return [Student(Browser(proxy), gpus=(1, 3, 4)[number % 3]) for number in range(CLASS)]


async def sit_down(students: list[Student]) -> None:
    """Each comes in by the code, on the replica that the proxy chose, and opens the lesson."""
    for student in students:
        assert student.browser.open("/tensors").status == 401
        assert student.browser.enter(CODE).status == 303
    await asyncio.gather(*(student.arrive() for student in students))


def send(student: Student, file: str) -> int:
    return student.browser.upload(student.tab.session, file, FILE).status


def kill(replica: Server) -> list[psutil.Process]:
    """As when the memory is gone: no goodbye. Returns the processes that it leaves behind."""
    left = psutil.Process(replica.process.pid).children(recursive=True)
    replica.process.kill()
    replica.process.wait(MAX_SECONDS)
    return left


def end_now(left: list[psutil.Process]) -> None:
    """End what a killed replica has left; systemd and containers do that by themselves."""
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=MAX_SECONDS)


async def test_websocket_and_uploads_of_one_visitor_meet_the_same_replica(proxy):
    students = students_of(proxy)
    await sit_down(students)
    assert {student.browser.replica for student in students} == {"1", "2"}
    for number in range(3):
        assert [send(student, str(number)) for student in students] == [204] * CLASS
    lost = students[0]
    lost.browser.cookies["playground_replica"] = "2" if lost.browser.replica == "1" else "1"
    assert send(lost, "elsewhere") == 400  # it is the cookie that keeps them together
    await asyncio.gather(*(student.leave() for student in students))


def test_a_cookie_that_names_no_replica_is_replaced(proxy):
    for invented in ("7", "", "127.0.0.1", "playground", "1 1"):
        visitor = Browser(proxy, cookies={"playground_replica": invented})
        assert visitor.open("/").status == 401
        assert visitor.replica in {"1", "2"}


async def test_killing_a_replica_moves_its_students_and_disturbs_nobody_else(proxy, replicas):
    students = students_of(proxy)
    await sit_down(students)
    doomed = students[0].browser.replica
    moved = [student for student in students if student.browser.replica == doomed]
    others = [student for student in students if student not in moved]
    sessions = [student.tab.session for student in others]
    assert others
    async with working(students):
        left = await asyncio.to_thread(kill, replicas[doomed])
        await until(lambda: all(student.cuts for student in moved))
        clicks = [student.clicks for student in students]
        await until(lambda: all(one.clicks > n for one, n in zip(students, clicks, strict=True)))
    end_now(left)

    assert [student.tab.session for student in others] == sessions
    assert [student.cuts for student in others] == [[]] * len(others)
    for student in moved:
        assert student.cuts == [(before, before) for before, _ in student.cuts]
        assert student.browser.replica == others[0].browser.replica
        assert student.browser.open("/tensors").status == 200  # still signed in

    await asyncio.to_thread(replicas[doomed].start)  # and nobody is sent back to it
    assert [send(student, "after") for student in students] == [204] * CLASS
    await asyncio.gather(*(student.leave() for student in students))


def test_a_replica_that_is_back_serves_at_once_when_the_other_one_is_killed(proxy, replicas):
    visitor = Browser(proxy)
    for doomed in ("1", "2", "1"):
        end_now(kill(replicas[doomed]))
        assert [each.open("/").status for each in (visitor, Browser(proxy))] == [401, 401]
        replicas[doomed].start()


async def test_no_vote_is_lost_when_a_replica_is_killed_in_a_vote(proxy, replicas, poll):
    """One that was not counted yet is asked for again: the student's banner says so."""
    browsers = [Browser(proxy) for _ in range(CLASS)]
    for browser in browsers:
        browser.open("/")
        assert browser.enter(CODE).status == 303
    counted, cut, *others = browsers[:3], *browsers[3:]
    doomed = cut.replica
    for browser in counted:
        await vote(browser)
    await vote(cut, is_awaited=False)  # what its replica has not written yet is gone
    left = await asyncio.to_thread(kill, replicas[doomed])
    for browser in others:
        await vote(browser)
    end_now(left)
    await until(lambda: all(banner(each) == COUNTED for each in counted))

    for browser in browsers:
        if banner(browser) != COUNTED:
            await vote(browser)

    assert doomed not in {browser.replica for browser in browsers}
    await until(lambda: poll.snapshot().counts == {ANSWER: CLASS})
    await asyncio.to_thread(replicas[doomed].start)


@pytest.fixture
def poll(replicas, tmp_path):
    """Ask the class a question, from the store of a third replica."""
    store = Store(open_database(Settings(data_folder=replicas["1"].data_folder)))
    store.open()
    writer = ProgressWriter(store, SpillFile(tmp_path))
    found = DatabasePoll(writer)
    found.start()
    found.ask(Poll(lesson=POLLED[0], step=POLLED[1]))
    yield found
    found.end()
    found.stop()
    store.close()


def banner(browser: Browser) -> str:
    """Return the banner on the page of the question, which the server reads within a second."""
    asked = browser.open("/api/poll?lang=en")
    return json.loads(asked.text)["here"] if asked.status == 200 else ""


async def vote(browser: Browser, *, is_awaited: bool = True) -> None:
    """Answer the question on its page, once the page knows that it is asked."""
    await until(lambda: banner(browser) != "")
    async with Tab(browser) as tab:
        await tab.visit(POLLED[0], f"step={POLLED[1]}&panel_plain=true")
        run = await tab.give(tab.by_key(f"{'-'.join(POLLED)}-answer-{ANSWER}"), PRESS)
        assert not run.errors, run.errors
    if is_awaited:
        await until(lambda: banner(browser) == COUNTED)


async def test_a_restart_of_all_loses_nothing_that_stands_in_an_address(replicas, proxy, browser):
    student = Student(browser, gpus=3)
    await student.arrive()
    async with working([student]):
        for replica in replicas.values():
            await asyncio.to_thread(replica.stop)
        closed = await asyncio.to_thread(Browser(proxy).open, "/tensors?gpus=3")
        posted = await asyncio.to_thread(Browser(proxy).enter, CODE)
        for replica in replicas.values():
            await asyncio.to_thread(replica.start)
        await until(lambda: bool(student.cuts))
    await student.leave()

    assert (closed.status, closed.headers["retry-after"]) == (503, "5")
    assert (posted.status, posted.text) == (503, closed.text)
    assert "starting again" in closed.text
    assert "正在重新启动" in closed.text
    assert student.cuts == [(before, before) for before, _ in student.cuts]
    assert student.cuts[0][0]["gpus"] == ("double_value", 3.0)
    assert browser.open("/tensors").status == 200  # nobody has to sign in again
