"""The log of the server, as text or as one JSON object a line, and its Prometheus metrics.

A record names a module, a level and an event, never a student's code, name or address. Of an
exception, the type and the stack are logged, but not its text, which may quote a student's input.
Libraries are logged from warnings on: the template of the message with numbers, but without strings
that were passed as arguments. Metrics are recorded here as they happen; ``operator_api`` adds those
of a moment.
"""

import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from types import TracebackType
from typing import TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.framework_internals import is_rerun_request, is_run_end, set_up_streamlit_loggers
from hosting.settings import LogFormat, Settings
from playground.errors import PlaygroundError

OURS = ("playground", "hosting", "ui", "pages")
MAX_FRAMES = 20
MAX_MESSAGE_CHARACTERS = 4_000
REDACTED = "…"
WARNING = re.compile(
    r"(?:.*[\\/])?([^\\/:]+:\d+: \w+):"
)  # the format of ``warnings``; text follows
_default_thread_hook = threading.excepthook
_log = logging.getLogger(__name__)
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
REGISTRY = CollectorRegistry()
RERUNS = Histogram(
    "playground_rerun_seconds",
    "From a click's arrival until its page is drawn.",
    buckets=BUCKETS,
    registry=REGISTRY,
)
EXPERIMENTS = Histogram(
    "playground_experiment_seconds",
    "An experiment as a page waits for it: queue and cache included.",
    ["outcome"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
LAB_RUNS = Histogram(
    "playground_lab_seconds",
    "A cell of the lab, from the click until its report: queue included.",
    ["outcome"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
OPEN_PAGES = Gauge("playground_pages_open", "Browser tabs connected.", registry=REGISTRY)
REJECTIONS = Counter("playground_refusals", "Rejected requests.", ["kind"], registry=REGISTRY)
DELAYED_CLICKS = Counter(
    "playground_clicks_delayed", "Clicks that came too fast and had to wait.", registry=REGISTRY
)


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if record.exc_info and record.exc_info[0]:
            entry["error"] = record.exc_info[0].__name__
            entry["at"] = _frames(record.exc_info[2])
        return json.dumps(entry, ensure_ascii=True)


class TextFormatter(logging.Formatter):
    """Formats a record as a line of text, with one more for each frame of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {_message(record)}"
        if not record.exc_info or not record.exc_info[0]:
            return line
        frames = "".join(f"\n  {frame}" for frame in _frames(record.exc_info[2]))
        return f"{line}\n{record.exc_info[0].__name__}{frames}"


def start_log(settings: Settings, stream: TextIO | None = None) -> logging.Handler:
    """Log everything in this process to standard error, in the operator's format.

    Args:
        settings: Format and level.
        stream: In place of standard error.

    Returns:
        The handler, which ``stop_log`` removes.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.name = __name__
    handler.setFormatter(
        JsonFormatter() if settings.log_format is LogFormat.JSON else TextFormatter()
    )
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    handler.addFilter(lambda record: record.levelno >= _min_level(record, level))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(level)
    for logger in tuple(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger) and not _is_ours(logger.name):
            _use_root_handler(logger)
    set_up_streamlit_loggers(_use_root_handler)  # for the loggers that it makes later
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread_failure
    return handler


def stop_log() -> None:
    """Restore Python's defaults; the handlers of libraries are not restored."""
    root = logging.getLogger()
    for handler in [each for each in root.handlers if each.name == __name__]:
        root.removeHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    set_up_streamlit_loggers(None)
    logging.captureWarnings(capture=False)
    threading.excepthook = _default_thread_hook


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in OURS


def _min_level(record: logging.LogRecord, chosen: int) -> int:
    return chosen if _is_ours(record.name) else max(chosen, logging.WARNING)


def _use_root_handler(logger: logging.Logger) -> None:
    """Remove a library's own handlers, so that its records reach those of the root logger."""
    logger.handlers = []
    logger.propagate = True
    logger.setLevel(logging.WARNING)  # without a level, uvicorn would trace each message


def _message(record: logging.LogRecord) -> str:
    if _is_ours(record.name):
        return record.getMessage()[:MAX_MESSAGE_CHARACTERS]
    if record.name == "py.warnings":
        found = WARNING.match(record.getMessage())
        return found[1] if found else REDACTED
    arguments = record.args
    redacted: object = (
        {name: _redact(value) for name, value in arguments.items()}
        if isinstance(arguments, Mapping)
        else tuple(_redact(value) for value in arguments or ())
    )
    template = str(record.msg).partition("\n")[0]  # asyncio adds values in further lines
    try:
        return (template % redacted if arguments else template)[:MAX_MESSAGE_CHARACTERS]
    except (TypeError, ValueError):  # %d for a string, or a template of several lines
        return template[:MAX_MESSAGE_CHARACTERS]


def _redact(value: object) -> object:
    return value if isinstance(value, int | float) else REDACTED


def _log_thread_failure(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None and failure.exc_type is not SystemExit:
        _log.error("a thread failed", exc_info=failure.exc_value)


def _frames(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-MAX_FRAMES:]
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]


class Rejected(StrEnum):
    """The kind of a rejected request: the label ``kind``."""

    ADDRESS = "address"  # a request by an unknown name, or a WebSocket of a foreign page
    STRANGER = "stranger"  # a request without a valid cookie of the gate
    CODE = "code"  # a wrong class code, or an attempt after too many
    VISITOR = "visitor"  # the right code, after many others from the same address
    PAGE = "page"  # a page, since too many are open
    SESSION = "session"  # its WebSocket
    MESSAGE = "message"  # a message with too long a query, or with text
    UPLOAD = "upload"
    EXPERIMENT = "experiment"
    LAB = "lab"


for each in Rejected:
    REJECTIONS.labels(each)  # exported as 0 before the first


def count_rejection(kind: Rejected) -> None:
    """Count one rejection."""
    REJECTIONS.labels(kind).inc()


def time_experiment() -> AbstractContextManager[None]:
    """Time an experiment, by its outcome."""
    return _time(EXPERIMENTS)


def time_lab_run() -> AbstractContextManager[None]:
    """Time a run in the lab, by its outcome."""
    return _time(LAB_RUNS)


@contextmanager
def _time(histogram: Histogram) -> Iterator[None]:
    """Time a block; an error is an outcome too."""
    started, outcome = time.perf_counter(), "left"  # as by a visitor who clicks again
    try:
        yield
        outcome = "done"
    except PlaygroundError as error:
        outcome = error.key
        raise
    finally:
        histogram.labels(outcome).observe(time.perf_counter() - started)


class RerunTimer:
    """ASGI middleware that times reruns, from a click's arrival to the end of its run.

    Args:
        app: The application that is timed.
        histogram: Records the times.
        clock: The time, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        histogram: Histogram = RERUNS,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._app = app
        self._histogram = histogram
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        clicked_at: list[float] = []

        async def receive_timed() -> Message:
            message = await receive()
            if not clicked_at and is_rerun_request(message.get("bytes") or b""):
                clicked_at.append(self._clock())
            return message

        async def send_timed(message: Message) -> None:
            await send(message)
            if clicked_at and is_run_end(message.get("bytes") or b""):
                self._histogram.observe(self._clock() - clicked_at.pop())

        await self._app(scope, receive_timed, send_timed)
