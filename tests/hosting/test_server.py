import http.client
import json
import socket
from contextlib import ExitStack, suppress

import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed

from tests.hosting.browser import FORM, SOON, Browser, click, messages_until, request, session_of
from tests.hosting.server import HOST, Server, serving
from tests.waiting import wait_until

MEBIBYTE = 2**20
WHOLE = ForwardMsg.FINISHED_SUCCESSFULLY  # of a run of a whole page
KEPT = 3
LESSON, STEP = "lazy_layers", "every_lazy_layer"  # it asks nothing, and is run at once
HALF_OPEN = 500
MAX_GROWTH_BYTES = 40 * MEBIBYTE  # of an idle server that has drawn its first page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("abuse")


@pytest.fixture(scope="module")
def server(folder):
    limits = {"upload_megabytes": str(KEPT), "uploads_per_minute": "50"}
    with serving(folder, without=["jail", "workers"], **limits) as running:
        yield running


def refused(server: Server, kind: str) -> float:
    return server.metric("playground_refusals_total", kind=kind)


def test_raw_uploads_never_keep_more_than_a_session_may(server):
    browser, file = Browser(server), b"x" * (MEBIBYTE - 1_000)
    with server.connect() as tab:
        session = session_of(tab)
        replies = [browser.upload(session, number, file) for number in range(10)]

        assert [reply.status for reply in replies] == [204] * KEPT + [413] * (10 - KEPT)
        assert refused(server, "upload") == 10 - KEPT
        assert f"{KEPT} MB" in replies[-1].text
        assert server.metric("playground_uploads_bytes") == KEPT * len(file)
        path = f"/_stcore/upload_file/{session}/0"
        assert browser.ask("DELETE", path, headers=browser.token_headers()).status == 204
        assert browser.upload(session, 11, file).status == 204


def end_of(server: Server, *messages: bytes | str) -> int:
    """With which code a websocket ends that is sent these; 0 where it was merely cut."""
    with server.connect() as tab:
        session_of(tab)
        with suppress(ConnectionClosed):
            for message in messages:
                tab.send(message)
            while True:
                tab.recv(timeout=SOON)
        return tab.close_code or 0


@pytest.mark.parametrize(
    ("message", "code"), [(request("x=" + "a" * 40_000), 1009), ("text", 1003)]
)
def test_a_message_that_is_refused_is_one_line_of_the_log(server, folder, message, code):
    log = folder / "log"
    before, counted = log.read_text(), refused(server, "message")

    assert end_of(server, message) == code

    assert refused(server, "message") == counted + 1
    logged = log.read_text()[len(before) :]
    sentence = f"closed a page with code {code}: it sent a message that is rejected\n"
    assert logged.count(sentence) == 1
    assert "Exception" not in logged


def too_much_state() -> bytes:
    widgets = [{"id": f"w{number}", "string_value": "v" * 300_000} for number in range(4)]
    return BackMsg(rerun_script={"widget_states": {"widgets": widgets}}).SerializeToString()


def test_memory_stays_where_it_is_whatever_a_stranger_sends(server):
    server.wait_until_ready()
    with server.connect() as tab:
        click(tab)
    before = server.metric("playground_web_memory_bytes")

    with ExitStack() as stack:
        for _ in range(HALF_OPEN):
            half = stack.enter_context(socket.create_connection((HOST, server.port)))
            half.sendall(b"GET /_stcore/stream HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 8_000)
        assert server.ask("GET", "/_stcore/health").status == 200
        assert server.metric("playground_web_memory_bytes") - before < MAX_GROWTH_BYTES
    with suppress(ConnectionError, http.client.BadStatusLine):  # cut off before it has sent all
        assert server.ask("GET", "/tensors?x=" + "a" * MEBIBYTE).status == 400
    assert end_of(server, request("x=" + "a" * 40_000)) == 1009
    assert end_of(server, too_much_state()) == 1009
    assert end_of(server, *[b"\xff" * 3 * MEBIBYTE] * 5) in (0, 1006, 1009)

    assert server.metric("playground_web_memory_bytes") - before < MAX_GROWTH_BYTES


def test_the_operator_sees_each_run_and_each_experiment_of_a_visitor(server):
    server.wait_until_ready()
    query = f"machine=simulated&step={STEP}&panel_plain=true"

    def numbers() -> tuple[float, float]:
        done = server.metric("playground_experiment_seconds_count", outcome="done")
        return server.metric("playground_rerun_seconds_count"), done

    seen = []
    for _ in range(3):
        with server.connect() as tab:
            ends = [click(tab, query, LESSON) for _ in range(2)]  # the second asks nothing
        assert ends == [WHOLE] * 2
        seen.append(numbers())

    runs, experiments = zip(*seen, strict=True)
    assert [number - runs[0] for number in runs] == [0, 2, 4]
    assert experiments[0] > 0
    assert experiments[2] - experiments[1] == experiments[1] - experiments[0] > 0


@pytest.mark.parametrize("cards_ask", [1, 3])
def test_a_card_of_the_page_before_neither_empties_the_new_page_nor_keeps_it_away(
    server, cards_ask
):
    with server.connect() as tab:
        tab.send(request())
        first = messages_until(tab, WHOLE)
        here = next(each.navigation for each in first if each.HasField("navigation"))
        hashes = {page.url_pathname: page.page_script_hash for page in here.app_pages}
        lesson = hashes["tensors"]
        card = next(each.delta.fragment_id for each in first if each.delta.fragment_id)

        tab.send(request(page_hash=lesson))
        for _ in range(cards_ask):
            tab.send(request(page_hash=here.page_script_hash, fragment=card))
        messages_until(tab, WHOLE)
        tab.send(request(page_hash=lesson))  # what the card has set off comes before this run's end
        after = messages_until(tab, WHOLE)

    begun = [each.new_session.page_script_hash for each in after if each.HasField("new_session")]
    assert set(begun) == {lesson}


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def begin_upload(server: Server, session: str) -> socket.socket:
    """An upload that says how long it is, and then nothing."""
    browser = Browser(server)
    headers = {"host": f"{HOST}:{server.port}", "content-length": "100000", **FORM}
    headers |= browser.token_headers() | browser.headers
    head = [f"PUT /_stcore/upload_file/{session}/f HTTP/1.1"]
    head += [f"{name}: {text}" for name, text in headers.items()]
    upload = socket.create_connection((HOST, server.port))
    upload.sendall("\r\n".join((*head, "", "")).encode())
    return upload


def test_no_visitor_holds_up_the_end_and_nothing_is_left_running(tmp_path):
    with serving(tmp_path, log_format="json") as server:
        server.wait_until_ready()
        assert server.process is not None
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert children
        with server.connect() as tab, begin_upload(server, session_of(tab)) as upload:
            upload.settimeout(1)
            with pytest.raises(TimeoutError):  # it is being waited for
                upload.recv(1)
            server.stop(60.0)  # the upload itself may take five minutes

    wait_until(lambda: not any(map(is_alive, children)))
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    logged = [each["message"] for each in lines]
    assert logged[0] == f"the server starts at {server.url}; its gate is open"
    assert logged[-1] == "the server has stopped"
