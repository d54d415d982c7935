"""What the log says, of whom, and what it keeps to itself."""

import asyncio
import io
import json
import logging
import threading
import warnings
from collections.abc import Callable, Iterator

import pytest
from streamlit.logger import get_logger

from hosting import logs
from hosting.settings import LogFormat, LogLevel, Settings

SECRET = "hunter2"


@pytest.fixture
def listen() -> Iterator[Callable[..., io.StringIO]]:
    """Starts a log into memory, and ends it."""

    def begin(**settings: object) -> io.StringIO:
        written = io.StringIO()
        logs.start(Settings(**settings), written)  # type: ignore[arg-type]
        return written

    yield begin
    logs.stop()


def fail() -> None:
    raise ValueError(f"password = {SECRET!r}")


@pytest.mark.parametrize("form", LogFormat)
def test_a_log_says_what_failed_and_never_what_was_typed(
    listen: Callable[..., io.StringIO], form: LogFormat
) -> None:
    written = listen(log_format=form)
    try:
        fail()
    except ValueError as error:
        logging.getLogger("ui.error_page").error("a page failed", exc_info=error)
    logging.getLogger("hosting.x").info("line\nbreak")
    logging.getLogger("hosting.x").debug("too small to say")

    logged = written.getvalue()
    assert SECRET not in logged
    assert "/" not in logged
    assert "ValueError" in logged
    assert "test_logs.py" in logged
    assert "too small" not in logged
    if form is LogFormat.JSON:
        first, second = (json.loads(line) for line in logged.splitlines())
        assert (first["level"], first["logger"], first["error"]) == (
            "error",
            "ui.error_page",
            "ValueError",
        )
        assert second["message"] == "line\nbreak"


def say_by_streamlit() -> None:
    get_logger("streamlit.made_before").warning("Closing %s after %d bytes", SECRET, 7)


def say_by_streamlit_later() -> None:
    get_logger(f"streamlit.{threading.get_native_id()}.{id(object())}").warning("later %r", SECRET)


def say_by_streamlit_that_a_page_failed() -> None:
    try:
        fail()
    except ValueError as error:
        get_logger("streamlit.error_util").error("Uncaught app execution", exc_info=error)


def say_by_uvicorn() -> None:
    logging.getLogger("uvicorn.error").error("Exception in ASGI application: %s\n", SECRET)


def say_by_alembic() -> None:
    logging.getLogger("alembic.runtime.migration").warning("Running %(what)s", {"what": SECRET})


def say_by_sqlalchemy() -> None:
    logging.getLogger("sqlalchemy.pool").error("Error on %s of %.1f", SECRET, 0.5)


def say_by_asyncio() -> None:
    loop = asyncio.new_event_loop()
    loop.call_exception_handler(
        {"message": "Task exception was never retrieved", "value": SECRET, "exception": OSError()}
    )
    loop.close()


def say_by_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"of {SECRET}", UserWarning, stacklevel=1)


def say_by_a_thread() -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    ("speak", "logger", "message"),
    [
        (say_by_streamlit, "streamlit.made_before", "Closing … after 7 bytes"),
        (say_by_streamlit_later, None, "later '…'"),
        (
            say_by_streamlit_that_a_page_failed,
            "streamlit.error_util",
            "Uncaught app execution",
        ),
        (say_by_uvicorn, "uvicorn.error", "Exception in ASGI application: …"),
        (say_by_alembic, "alembic.runtime.migration", "Running …"),
        (say_by_sqlalchemy, "sqlalchemy.pool", "Error on … of 0.5"),
        (say_by_asyncio, "asyncio", "Task exception was never retrieved"),
        (say_by_a_warning, "py.warnings", None),
        (say_by_a_thread, "hosting.logs", "a thread failed"),
    ],
)
def test_everything_in_this_process_is_logged_as_json_without_texts_from_elsewhere(
    listen: Callable[..., io.StringIO],
    capfd: pytest.CaptureFixture[str],
    speak: Callable[[], None],
    logger: str | None,
    message: str | None,
) -> None:
    get_logger("streamlit.made_before")
    get_logger("streamlit.error_util")
    written = listen(log_format=LogFormat.JSON)

    speak()

    logged = [json.loads(line) for line in written.getvalue().splitlines()]
    assert len(logged) == 1
    assert logged[0]["logger"] == (logger or logged[0]["logger"])
    assert logged[0]["message"] == (message or logged[0]["message"])
    assert SECRET not in written.getvalue()
    assert capfd.readouterr().err == ""  # nothing goes past it


def test_libraries_are_heard_from_warnings_on_however_much_is_asked_for(
    listen: Callable[..., io.StringIO],
) -> None:
    written = listen(log_level=LogLevel.DEBUG)

    for name in ("alembic.runtime.migration", "uvicorn.error", "streamlit.x", "sqlalchemy.engine"):
        logging.getLogger(name).setLevel(logging.DEBUG)
        logging.getLogger(name).info("chatter about %s", SECRET)
    logging.getLogger("playground.x").debug("ours")

    assert written.getvalue().count("\n") == 1
    assert "ours" in written.getvalue()


def test_a_higher_level_holds_for_libraries_too(listen: Callable[..., io.StringIO]) -> None:
    written = listen(log_level=LogLevel.ERROR)

    logging.getLogger("uvicorn.error").warning("small")
    logging.getLogger("hosting.x").warning("small")

    assert written.getvalue() == ""
