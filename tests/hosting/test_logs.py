import asyncio
import io
import json
import logging
import threading
import uuid
import warnings
from collections.abc import Callable

import pytest
from streamlit.logger import get_logger

from hosting.logs_and_metrics import start_log, stop_log
from hosting.settings import LogFormat, LogLevel, Settings

SECRET = "hunter2"


@pytest.fixture
def listen():
    """Starts a log into memory, and ends it."""

    def begin(**settings: object) -> io.StringIO:
        written = io.StringIO()
        start_log(Settings(**settings), written)  # type: ignore[arg-type]
        return written

    yield begin
    stop_log()


def fail() -> None:
    raise ValueError(f"password = {SECRET!r}")


@pytest.mark.parametrize("form", LogFormat)
def test_a_log_says_what_failed_and_never_what_was_typed(listen, form):
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
        expected = {"level": "error", "logger": "ui.error_page", "error": "ValueError"}
        assert first.items() >= expected.items()
        assert second["message"] == "line\nbreak"


def a_page_of_streamlit() -> None:
    try:
        fail()
    except ValueError as error:
        get_logger("streamlit.error_util").error("Uncaught app execution", exc_info=error)


def asyncio_itself() -> None:
    loop = asyncio.new_event_loop()
    loop.call_exception_handler(
        {"message": "Task exception was never retrieved", "value": SECRET, "exception": OSError()}
    )
    loop.close()


def a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"of {SECRET}", UserWarning, stacklevel=1)


def a_thread() -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def by(logger: str, template: str, *values: object) -> Callable[[], None]:
    get = get_logger if logger.startswith("streamlit.") else logging.getLogger
    return lambda: get(logger).warning(template, *values)


LATER = f"streamlit.{uuid.uuid4()}"
SAID = [
    ("streamlit.before", "Closing %s after %d bytes", (SECRET, 7), "Closing … after 7 bytes"),
    (LATER, "later %r", (SECRET,), "later '…'"),
    ("uvicorn.error", "Exception in: %s\n", (SECRET,), "Exception in: …"),
    ("alembic.runtime.migration", "Running %(what)s", ({"what": SECRET},), "Running …"),
    ("sqlalchemy.pool", "Error on %s of %.1f", (SECRET, 0.5), "Error on … of 0.5"),
]


@pytest.mark.parametrize(
    ("speak", "logger", "message"),
    [(by(name, template, *values), name, message) for name, template, values, message in SAID]
    + [
        (a_page_of_streamlit, "streamlit.error_util", "Uncaught app execution"),
        (asyncio_itself, "asyncio", "Task exception was never retrieved"),
        (a_warning, "py.warnings", None),
        (a_thread, "hosting.logs_and_metrics", "a thread failed"),
    ],
)
def test_everything_in_this_process_is_logged_as_json_without_texts_from_elsewhere(
    listen, capfd, speak, logger, message
):
    get_logger("streamlit.before")
    get_logger("streamlit.error_util")
    written = listen(log_format=LogFormat.JSON)
    speak()

    (logged,) = (json.loads(line) for line in written.getvalue().splitlines())
    assert logged["logger"] == logger
    assert logged["message"] == (message or logged["message"])
    assert SECRET not in written.getvalue()
    assert capfd.readouterr().err == ""  # nothing goes past it


def test_libraries_are_heard_from_warnings_on_however_much_is_asked_for(listen):
    written = listen(log_level=LogLevel.DEBUG)
    for name in ("alembic.runtime.migration", "uvicorn.error", "streamlit.x", "sqlalchemy.engine"):
        logging.getLogger(name).setLevel(logging.DEBUG)
        logging.getLogger(name).info("chatter about %s", SECRET)
    logging.getLogger("playground.x").debug("ours")
    assert written.getvalue().count("\n") == 1
    assert "ours" in written.getvalue()

    written = listen(log_level=LogLevel.ERROR)  # a higher level holds for libraries too
    for name in ("uvicorn.error", "hosting.x"):
        logging.getLogger(name).warning("small")
    assert written.getvalue() == ""
