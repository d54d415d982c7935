"""Each private part of a framework is there; one that may go is missed with one warning."""

import asyncio
import gc
import logging
import weakref
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
import streamlit.logger
import uvicorn
from starlette.formparsers import MultiPartParser
from starlette.types import Message
from starlette.websockets import WebSocket
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import (
    starlette_app_utils,
    starlette_server_config,
    starlette_websocket,
)
from websockets import http11

from hosting import framework_internals
from hosting.framework_internals import keep_uploads_in_memory, set_up_streamlit_loggers
from tests.hosting.asgi import CONNECT, socket_scope
from tests.hosting.browser import SOON

close_slow_connections = framework_internals.close_slow_connections.__wrapped__  # not only once
given = weakref.WeakSet()  # arguments of callbacks that are still referenced


# -- uvicorn, websockets, Starlette ----------------------------------------------------------------


@pytest.fixture
def server():
    """A server that handles SIGTERM; it does not listen."""
    made = uvicorn.Server(uvicorn.Config("app:app", host="::", port=8501))
    with made.capture_signals():
        yield made


def test_host_url_and_base_path_are_those_of_uvicorn_or_streamlit(server, monkeypatch):
    assert framework_internals.running_server() is server
    assert framework_internals.listening_host() == "::"
    assert framework_internals.server_url() == "http://localhost:8501"
    server.config.host = "fd00::5"
    assert framework_internals.server_url() == "http://[fd00::5]:8501"

    assert framework_internals.base_path() == ""
    server.config.root_path = "/torch"
    assert framework_internals.base_path() == "torch"
    server.config.root_path = ""
    monkeypatch.setattr(config, "get_option", {"server.baseUrlPath": "/a/b/"}.__getitem__)
    assert framework_internals.base_path() == "a/b"


def test_the_shutdown_is_limited_unless_the_operator_has_limited_it(server):
    for given, limit in ((None, 3), (7, 7)):
        server.config.timeout_graceful_shutdown = given
        framework_internals.limit_shutdown_time()
        assert server.config.timeout_graceful_shutdown == limit


def test_headers_may_be_long_and_uploads_are_parsed_in_memory(server, monkeypatch):
    monkeypatch.setattr(http11, "MAX_LINE_LENGTH", 8_192)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    framework_internals.raise_header_limit()
    keep_uploads_in_memory(12_345)

    assert http11.MAX_LINE_LENGTH == framework_internals.MAX_HEADER_BYTES
    assert server.config.h11_max_incomplete_event_size == framework_internals.MAX_HEADER_BYTES
    assert MultiPartParser.spool_max_size == 12_345


# -- Streamlit -------------------------------------------------------------------------------------


def test_uploaded_files_are_counted_and_deleted_by_session(monkeypatch):
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    for session, name in (("ada", "1"), ("ada", "2"), ("bob", "1")):
        manager.add_file(session, UploadedFileRec(name, name, "", b"x" * 1_000))
    assert framework_internals.uploaded_bytes() == {"ada": 2_000, "bob": 1_000}

    framework_internals.delete_uploaded_files("ada")
    assert framework_internals.uploaded_bytes() == {"bob": 1_000}


class Argument:
    """An argument of a callback, as large as an answer may be."""

    def __init__(self, page: str) -> None:
        self.page = page
        given.add(self)


def script() -> None:
    import streamlit as st

    from hosting import framework_internals
    from tests.hosting.test_framework_internals import Argument

    page = st.query_params.get("page", "first")
    if st.session_state.get("here") != page:
        st.session_state["here"] = page
        framework_internals.drop_left_widgets()
    st.number_input("kept", key=f"{page}-kept", persist_state="session")
    st.button("press", key=f"{page}-press", on_click=print, args=(Argument(page),))


def held() -> set[str]:
    gc.collect()
    return {argument.page for argument in given}


def visit(at: AppTest, page: str) -> None:
    at.query_params["page"] = page
    at.run()
    assert not at.exception


def test_only_the_last_two_pages_keep_their_widgets_and_no_value_is_lost():
    at = AppTest.from_function(script, default_timeout=300)
    visit(at, "first")
    at.number_input(key="first-kept").set_value(7)
    at.run()

    visit(at, "second")
    at.button(key="second-press").click()
    at.run()
    assert "second" in held()

    visit(at, "third")
    assert held() <= {"second", "third"}  # a browser may send a page's values once more

    visit(at, "first")
    assert at.number_input(key="first-kept").value == 7
    assert held() <= {"third", "first"}


@pytest.mark.anyio
async def test_a_browser_that_reads_too_slowly_is_disconnected(monkeypatch):
    original = starlette_websocket.StarletteSessionClient
    monkeypatch.setattr(starlette_websocket, "StarletteSessionClient", original)
    close_slow_connections()
    closed_with: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def send(message: Message) -> None:
        if message["type"] == "websocket.send":
            await asyncio.Event().wait()
        elif message["type"] == "websocket.close":
            closed_with.set_result(message["code"])

    def fill_queue() -> None:
        while True:
            client.write_forward_msg(ForwardMsg())

    socket = WebSocket(socket_scope(client=None), AsyncMock(return_value=CONNECT), send)
    await socket.accept()
    client = starlette_websocket.StarletteSessionClient(socket)
    with pytest.raises(SessionClientDisconnectedError):
        fill_queue()

    assert await asyncio.wait_for(closed_with, SOON) == 1013


# -- fallbacks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feature", "holder", "name"),
    [
        (framework_internals.raise_header_limit, http11, "MAX_LINE_LENGTH"),
        (lambda: keep_uploads_in_memory(1), MultiPartParser, "spool_max_size"),
        (close_slow_connections, starlette_websocket, "StarletteSessionClient"),
        (lambda: set_up_streamlit_loggers(None), streamlit.logger, "setup_formatter"),
    ],
)
def test_a_part_that_is_gone_costs_its_feature_and_one_warning(
    feature, holder, name, monkeypatch, caplog
):
    monkeypatch.delattr(holder, name)
    caplog.set_level(logging.WARNING)
    for _ in range(2):
        feature()
    (logged,) = [each for each in map(logging.LogRecord.getMessage, caplog.records) if name in each]
    assert logged.startswith("not available: ")


def test_files_and_widgets_of_left_pages_stay_if_streamlit_keeps_them_elsewhere(
    monkeypatch, caplog
):
    context = SimpleNamespace(session_state=object())
    monkeypatch.setattr("streamlit.runtime.scriptrunner.get_script_run_ctx", lambda: context)
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", object)

    for _ in range(2):
        framework_internals.drop_left_widgets()
        framework_internals.delete_uploaded_files("ada")

    widgets, files = (record.getMessage() for record in caplog.records)
    assert "_lock" in widgets
    assert "uploaded_file_mgr" in files


def test_a_browser_is_known_by_the_token_in_streamlits_cookie() -> None:
    token, name = b"0123456789abcdef", starlette_server_config.XSRF_COOKIE_NAME
    texts = {starlette_app_utils.generate_xsrf_token_string(token, 1) for _ in range(2)}
    assert len(texts) == 2  # it is masked
    assert {framework_internals.browser_id({name: text}) for text in texts} == {token.hex()}
    assert framework_internals.browser_id({name: "2|☃"}) == framework_internals.browser_id({}) == ""
