import asyncio
import inspect
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.components.v2 import get_bidi_component_manager, manifest_scanner
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, DeferredFileRequestPayload
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse, ForwardMsg
from streamlit.runtime import media_file_manager, scriptrunner
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunContext
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState

from hosting.framework_internals import streamlit_session, warn_once

SENTENCE = "No file, 稍后再试。"
PARTS = [
    (scriptrunner, "get_script_run_ctx"),
    (SafeSessionState, "query_params"),
    (QueryParams, "get_binding_for_param unbind_widget"),
    (ScriptRequestType, "CONTINUE RERUN"),
    (ScriptRequests(), "_state _rerun_data _request_rerun_locked _lock"),
    (ThreadState, "get"),
    (ScriptRunner, "_run_script"),
    (ForwardMsgQueue, "clear"),
    (PagesManager, "current_page_script_hash"),
    (inspect.getmodule(get_bidi_component_manager), "get_bidi_component_manager"),
    (manifest_scanner, "ComponentConfig ComponentManifest"),
    (DeferredFileHandler, "handle"),
    (MediaFileManager, "add_deferred execute_deferred _drop_deferred_id"),
    (MediaFileManager(MemoryMediaFileStorage("/media")), "_deferred_callables _lock"),
    (
        MediaFileManager(MemoryMediaFileStorage("/media")),
        "_deferred_ids_by_session _files_by_session_and_coord",
    ),
    (AppSession, "_handle_backend_operation_request"),
    (RerunData, "fragment_id fragment_id_queue page_script_hash cached_message_hashes"),
    (ScriptRunContext, "session_id session_state script_requests fragment_ids_this_run"),
]


@pytest.fixture(autouse=True)
def warns_again():
    warn_once.cache_clear()


@pytest.mark.parametrize(("owner", "names"), PARTS, ids=[names for _, names in PARTS])
def test_streamlit_has_the_private_parts(owner, names):
    known = {*dir(owner), *getattr(owner, "__dataclass_fields__", ())}
    assert [name for name in names.split() if name not in known] == []


def test_a_session_without_a_run_has_no_script_runner_and_a_runner_knows_its_pages():
    assert "self._scriptrunner = None" in inspect.getsource(AppSession)
    assert "self._pages_manager = " in inspect.getsource(ScriptRunner.__init__)


@pytest.mark.parametrize(
    ("call", "default"),
    [(streamlit_session.session_id, ""), (streamlit_session.is_rerun_requested, False)],
)
def test_a_missing_part_is_logged_once_and_the_page_goes_on(call, default, monkeypatch, caplog):
    monkeypatch.delattr(scriptrunner, "get_script_run_ctx")
    with caplog.at_level(logging.WARNING):
        assert [call(), call()] == [default, default]
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    assert call.__name__ in caplog.text


def test_a_component_that_cannot_be_registered_draws_nothing(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "streamlit.components.v2.manifest_scanner", None)
    mount = streamlit_session.register_component("any", "thing", Path(__file__), js="thing.js")
    assert mount(key="any") is None
    assert "register_component" in caplog.text


@pytest.mark.parametrize("fragments", [[], ["editor"]])
def test_only_a_run_of_the_whole_page_relies_on_what_the_browser_has_cached(monkeypatch, fragments):
    runs: list[RerunData] = []
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda _, asked: runs.append(asked))
    streamlit_session.send_fragments_uncached()

    request = RerunData(fragment_id_queue=fragments, cached_message_hashes=frozenset({"seen"}))
    ScriptRunner._run_script(SimpleNamespace(), request)  # type: ignore[arg-type]

    assert runs[0].fragment_id_queue == fragments
    assert runs[0].cached_message_hashes == (frozenset() if fragments else {"seen"})


@pytest.mark.parametrize(("fragments", "sent"), [(["a"], [[0, 0], [0, 1]]), (None, [])])
def test_what_was_drawn_of_a_fragment_is_sent_though_it_runs_again(monkeypatch, fragments, sent):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)  # to be as before again
    streamlit_session.keep_unsent_messages()
    queue = ForwardMsgQueue()
    for place, fragment in enumerate("ab"):
        block = ForwardMsg()
        block.metadata.delta_path[:] = [0, place]
        block.delta.add_block.allow_empty = True
        block.delta.fragment_id = fragment
        queue.enqueue(block)

    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)

    assert [list(message.metadata.delta_path) for message in queue.flush()] == sent


@pytest.mark.parametrize(
    ("waiting", "joined"), [(["b"], ["b", "a"]), (["a", "b"], ["a", "b"]), ([], [])]
)
def test_a_fragment_that_waits_is_drawn_again_by_the_run_that_ends_the_wait(
    monkeypatch, waiting, joined
):
    requests = ScriptRequests()
    requests.request_rerun(RerunData(fragment_id_queue=waiting))
    context = SimpleNamespace(script_requests=requests)
    monkeypatch.setattr(streamlit_session, "_context", lambda: context)
    monkeypatch.setattr(ThreadState, "get", lambda: SimpleNamespace(fragment_id="a"))

    streamlit_session.join_requested_rerun()

    begun = requests.on_scriptrunner_ready()
    assert (begun.type, begun.rerun_data.fragment_id_queue) == (ScriptRequestType.RERUN, joined)


@pytest.mark.parametrize(("of_run", "reruns"), [(["a"], [["b", "c"]]), (None, []), ([], [])])
def test_a_callback_of_a_run_of_the_whole_page_does_not_end_it(monkeypatch, of_run, reruns):
    asked: list[list[str]] = []
    monkeypatch.setattr(streamlit_session.st, "rerun", asked.append)
    context = SimpleNamespace(fragment_ids_this_run=of_run)
    monkeypatch.setattr(streamlit_session, "_context", lambda: context)

    streamlit_session.rerun_fragments("b", "c")

    assert asked == reruns


def asked(make: Callable[[], bytes]) -> BackendOperationResponse:
    """Return Streamlit's answer to a browser that asks for a file."""

    class Files:
        def execute_deferred(self, file_id: str) -> str:
            assert file_id == "7"
            return f"/media/{len(make())}"

    streamlit_session.patch_deferred_downloads()
    handler = DeferredFileHandler(Files)  # type: ignore[arg-type]
    request = BackendOperationRequest(
        request_id="1", deferred_file=DeferredFileRequestPayload(file_id="7")
    )
    return asyncio.run(handler.handle(request, "session"))


def test_the_browser_gets_our_sentence_for_a_failure_and_not_for_the_next_file():
    def fail() -> bytes:
        streamlit_session.set_download_error(SENTENCE)
        raise ValueError

    def broken() -> bytes:
        raise ValueError

    assert asked(fail).error_msg == SENTENCE
    assert asked(broken).error_msg not in ("", None, SENTENCE)
    answer = asked(lambda: b"123")
    assert not answer.error_msg
    assert answer.deferred_file.url == "/media/3"


def test_runs_of_others_delete_no_file_before_it_is_fetched():
    streamlit_session.patch_deferred_downloads()
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    placeholder = files.add_deferred(lambda: b"weights", "application/octet-stream", "main.0")
    url = files.execute_deferred(placeholder)

    for _ in range(3):  # runs of others end
        files.remove_orphaned_files()
    fetched = files.read_file(url.rpartition("/")[2].partition(".")[0])
    assert fetched.content == b"weights"

    files.clear_session_refs()  # the page with the button is drawn again
    for _ in range(2):
        files.remove_orphaned_files()
    assert not files._file_metadata


def test_a_button_keeps_its_id_and_makes_the_file_of_the_latest_run(monkeypatch):
    streamlit_session.patch_deferred_downloads()
    files = MediaFileManager(MemoryMediaFileStorage("/media"))

    def draw(visitor: str, text: bytes) -> str:
        monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: visitor)
        files.clear_session_refs(visitor)
        file_id = files.add_deferred(lambda: text, "text/plain", "main.0", element_id="save")
        files.remove_orphaned_files()
        return file_id

    clicked = draw("a", b"1")
    other = draw("b", b"of another visitor")
    assert draw("a", b"2") == clicked != other
    fetched = files.read_file(files.execute_deferred(clicked).rpartition("/")[2].partition(".")[0])
    assert fetched.content == b"2"

    files.clear_session_refs("a")  # the visitor has left
    files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(clicked)
    assert files.execute_deferred(other)


def test_a_file_is_made_after_the_run_that_draws_what_was_written(monkeypatch):
    monkeypatch.setattr(streamlit_session, "_RUN_SECONDS", 600.0)
    streamlit_session.patch_deferred_downloads()
    done: list[str] = []
    session = SimpleNamespace(id="session", _scriptrunner="runs", _enqueue_forward_msg=id)

    async def make(_request: object, _session_id: str) -> BackendOperationResponse:
        done.append("file")
        return BackendOperationResponse()

    async def run() -> None:
        request = BackendOperationRequest(
            session_id="session", deferred_file=DeferredFileRequestPayload(file_id="7")
        )
        asked = asyncio.create_task(
            AppSession._handle_backend_operation_request(session, request)  # type: ignore[arg-type]
        )
        await asyncio.sleep(0.3)
        done.append("run")
        session._scriptrunner = None
        await asked

    session._backend_operation_dispatcher = SimpleNamespace(dispatch=make)
    asyncio.run(run())

    assert done == ["run", "file"]
