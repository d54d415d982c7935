"""What stands beside a download button whose file could not be made: a sentence of ours.

Streamlit makes such a file when the button is pressed, outside of any run of a page, and answers a
failure with an English text of its own that names neither a reason nor a way out.
"""

import functools
from contextvars import ContextVar
from typing import Any

from streamlit.runtime.backend_operation_handler import DeferredFileHandler

_said: ContextVar[list[str] | None] = ContextVar("said", default=None)


def fail_saying(sentence: str) -> None:
    """In the function that makes a file: what is to be said if it raises now."""
    said = _said.get()
    if said is not None:
        said.append(sentence)


@functools.cache
def install() -> None:
    """Let Streamlit say what ``fail_saying`` was told; a second call does nothing."""
    handle = DeferredFileHandler.handle

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

    DeferredFileHandler.handle = handle_and_say  # type: ignore[method-assign]
