"""A file that is made on a click; the click itself is the browser's (tests/e2e)."""

import asyncio
import io
from collections.abc import Callable

import pytest
import torch
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, DeferredFileRequestPayload
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from playground import compute
from playground.errors import ExperimentTimedOutError, PlaygroundError
from playground.lessons.save_and_load.tensors import Saved, Tensors
from playground.steps import WriteFile
from ui import deferred
from ui.download import Note, maker

SENTENCE = "No file, 稍后再试。"
SETTINGS = WriteFile(of=Tensors(saved=Saved.DICT, length=4), file_name="mydict")


def test_what_is_made_is_the_file_of_the_step() -> None:
    note = Note()
    with compute.running_inline():
        data = maker(SETTINGS, note, SENTENCE)()

    loaded = torch.load(io.BytesIO(data), weights_only=True)
    assert loaded["x"].tolist() == [0, 1, 2, 3]
    assert note.error is None


def test_a_failing_worker_makes_no_file_and_leaves_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = Note()

    def fail(*_: object) -> None:
        raise ExperimentTimedOutError("timed_out", seconds=20)

    with monkeypatch.context() as patched:
        patched.setattr(compute, "run", fail)
        with pytest.raises(PlaygroundError):
            maker(SETTINGS, note, SENTENCE)()
    assert note.error is not None
    assert note.error.key == "timed_out"

    with compute.running_inline():
        maker(SETTINGS, note, SENTENCE)()
    assert note.error is None  # the next one was made


def asked(make: Callable[[], bytes]) -> BackendOperationResponse:
    """What Streamlit answers the browser that asks for a file."""

    class Files:
        def execute_deferred(self, file_id: str) -> str:
            assert file_id == "7"
            return f"/media/{len(make())}"

    deferred.install()
    handler = DeferredFileHandler(Files)  # type: ignore[arg-type]
    request = BackendOperationRequest(
        request_id="1", deferred_file=DeferredFileRequestPayload(file_id="7")
    )
    return asyncio.run(handler.handle(request, "session"))


def test_the_browser_is_told_of_a_failure_in_our_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ExperimentTimedOutError("timed_out", seconds=20)

    monkeypatch.setattr(compute, "run", fail)

    assert asked(maker(SETTINGS, Note(), SENTENCE)).error_msg == SENTENCE


def test_a_failure_says_nothing_about_the_next_file() -> None:
    def broken() -> bytes:
        raise ValueError

    assert asked(broken).error_msg not in ("", None, SENTENCE)
    answer = asked(lambda: b"123")
    assert not answer.error_msg
    assert answer.deferred_file.url == "/media/3"


def test_what_others_do_takes_no_file_away_before_it_is_fetched() -> None:
    deferred.install()
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    placeholder = files.add_deferred(lambda: b"weights", "application/octet-stream", "main.0")
    url = files.execute_deferred(placeholder)

    for _ in range(3):  # runs of others end
        files.remove_orphaned_files()
    fetched = files.read_file(url.rpartition("/")[2].partition(".")[0])
    assert fetched is not None
    assert fetched.content == b"weights"

    files.clear_session_refs()  # the page with the button is drawn again
    for _ in range(2):
        files.remove_orphaned_files()
    assert not files._file_metadata
