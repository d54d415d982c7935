"""Files that Streamlit makes when their download button is pressed, outside of any run of a page.

It answers a failure with an English text of its own that names neither a reason nor a way out, and
throws a file away at the end of the second run of any visitor, so that in a class it is often gone
before the browser has fetched it. Here the sentence is ours, and the file stays until its visitor's
own page is drawn again.
"""

import functools
from contextvars import ContextVar
from pathlib import PurePosixPath
from typing import Any

from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager

_said: ContextVar[list[str] | None] = ContextVar("said", default=None)


def fail_saying(sentence: str) -> None:
    """In the function that makes a file: what is to be said if it raises now."""
    said = _said.get()
    if said is not None:
        said.append(sentence)


@functools.cache
def install() -> None:
    """Let Streamlit say what ``fail_saying`` was told, and keep files; once is enough."""
    handle, make = DeferredFileHandler.handle, MediaFileManager.execute_deferred

    async def handle_and_say(self: DeferredFileHandler, request: Any, session_id: str) -> Any:
        said: list[str] = []
        token = _said.set(said)  # the thread that makes the file gets a copy of this context
        try:
            response = await handle(self, request, session_id)
        finally:
            _said.reset(token)
        if response.error_msg and said:
            response.error_msg = said[-1]
        return response

    def make_and_keep(self: MediaFileManager, file_id: str) -> str:
        entry = self._deferred_callables.get(file_id)
        url = make(self, file_id)
        with self._lock:
            if entry and entry["session_id"] in self._files_by_session_and_coord:
                kept = self._files_by_session_and_coord[entry["session_id"]]
                kept[f"made by {file_id}"] = PurePosixPath(url).stem
        return url

    DeferredFileHandler.handle = handle_and_say  # type: ignore[method-assign]
    MediaFileManager.execute_deferred = make_and_keep  # type: ignore[method-assign]
