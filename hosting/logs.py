"""The log of the server: for people as text, for machines as one JSON object a line.

What is logged names a module, a level and what happened; never a student's code, name or address.
Of an exception stand the type and the places in the code, and never its text: that may quote what a
student has typed. Libraries are heard from warnings on, and of what they say the words stand that
they wrote into their source, with numbers but without texts from elsewhere.
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

import streamlit.logger

from hosting.settings import LogFormat, Settings

OURS = ("playground", "hosting", "ui", "pages")
MOST_FRAMES = 20
LONGEST = 4_000  # characters of a message
ELSEWHERE = "…"  # stands for a text that a library was given
WARNED = re.compile(r"(?:.*[\\/])?([^\\/:]+:\d+: \w+):")  # as ``warnings`` writes it, then its text
_of_streamlit = streamlit.logger.setup_formatter
_threads_hook = threading.excepthook
_log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """One record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, module, message; of an exception its type and its places."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if record.exc_info and record.exc_info[0]:
            told["error"] = record.exc_info[0].__name__
            told["at"] = _places(record.exc_info[2])
        return json.dumps(told, ensure_ascii=True)


class TextLines(logging.Formatter):
    """The same for people, a few lines for an exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, module, message; of an exception its type and its places."""
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {_message(record)}"
        if not record.exc_info or not record.exc_info[0]:
            return line
        places = "".join(f"\n  {place}" for place in _places(record.exc_info[2]))
        return f"{line}\n{record.exc_info[0].__name__}{places}"


def start(settings: Settings, stream: TextIO | None = None) -> logging.Handler:
    """Send what this process logs to standard error, in the operator's format.

    Args:
        settings: Format and level.
        stream: Instead of standard error.

    Returns:
        The handler, which ``stop`` takes away again.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.name = __name__
    handler.setFormatter(JsonLines() if settings.log_format is LogFormat.JSON else TextLines())
    least = logging.getLevelNamesMapping()[settings.log_level.upper()]
    handler.addFilter(lambda record: record.levelno >= _least(record, least))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(least)
    for logger in tuple(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger) and not _is_ours(logger.name):
            _lead_to_root(logger)
    streamlit.logger.setup_formatter = _lead_to_root  # for the loggers that it makes later
    logging.captureWarnings(capture=True)
    threading.excepthook = _tell_of_thread
    return handler


def stop() -> None:
    """Let Python log as it does by default; what libraries had of their own does not come back."""
    root = logging.getLogger()
    for handler in [each for each in root.handlers if each.name == __name__]:
        root.removeHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    streamlit.logger.setup_formatter = _of_streamlit
    logging.captureWarnings(capture=False)
    threading.excepthook = _threads_hook


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in OURS


def _least(record: logging.LogRecord, chosen: int) -> int:
    return chosen if _is_ours(record.name) else max(chosen, logging.WARNING)


def _lead_to_root(logger: logging.Logger) -> None:
    """Take a library's own handlers away; what it logs goes the way of everything else."""
    logger.handlers = []
    logger.propagate = True
    logger.setLevel(logging.WARNING)  # at none of its own, uvicorn would trace each message


def _message(record: logging.LogRecord) -> str:
    if _is_ours(record.name):
        return record.getMessage()[:LONGEST]
    if record.name == "py.warnings":
        warned = WARNED.match(record.getMessage())
        return warned[1] if warned else ELSEWHERE
    given = record.args
    harmless: object = (
        {name: _harmless(value) for name, value in given.items()}
        if isinstance(given, Mapping)
        else tuple(_harmless(value) for value in given or ())
    )
    template = str(record.msg).partition("\n")[0]  # asyncio adds what it saw in further lines
    try:
        return (template % harmless if given else template)[:LONGEST]
    except (TypeError, ValueError):  # a number was wanted, or the template went on
        return template[:LONGEST]


def _harmless(value: object) -> object:
    return value if isinstance(value, int | float) else ELSEWHERE


def _tell_of_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and ended.exc_type is not SystemExit:
        _log.error("a thread failed", exc_info=ended.exc_value)


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-MOST_FRAMES:]
    return [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
