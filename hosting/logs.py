"""The log of the server, as text or as one JSON object a line.

A record names a module, a level and an event, never a student's code, name or address. Of an
exception, the type and the stack are logged, but not its text, which may quote a student's input.
Libraries are logged from warnings on: the template of the message with numbers, but without strings
that were passed as arguments.
"""

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

from hosting.framework_internals import set_up_streamlit_loggers
from hosting.settings import LogFormat, Settings

OURS = ("playground", "hosting", "ui", "pages")
MAX_FRAMES = 20
MAX_MESSAGE_CHARACTERS = 4_000
REDACTED = "…"
WARNING = re.compile(
    r"(?:.*[\\/])?([^\\/:]+:\d+: \w+):"
)  # the format of ``warnings``; text follows
_default_thread_hook = threading.excepthook
_log = logging.getLogger(__name__)


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


def start(settings: Settings, stream: TextIO | None = None) -> logging.Handler:
    """Log everything in this process to standard error, in the operator's format.

    Args:
        settings: Format and level.
        stream: In place of standard error.

    Returns:
        The handler, which ``stop`` removes.
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


def stop() -> None:
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
