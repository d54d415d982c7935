"""Reads the files of a cell as Python and NumPy do, ``open`` among them; all of it is in memory.

A cell has ``open`` only where the student has given it a file: without one, it has no use here.
"""

import io
from collections.abc import Callable
from typing import Any

import numpy

from playground.sandbox.facade.files import Files

READ_MODES = ("r", "rt", "rb")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # what spreadsheets put before a CSV
OPENED = (io.StringIO, io.BytesIO, list)


def open_file(
    files: Files,
    file: object,
    mode: str = "r",
    encoding: str | None = None,
    newline: str | None = None,
) -> io.StringIO | io.BytesIO:
    """Python's ``open``, to read.

    Raises:
        TypeError: ``file`` is no plain name.
        ValueError: A mode that writes.
        FileNotFoundError: There is no such file.
        UnicodeDecodeError: It is no text in this encoding.
    """
    if mode not in READ_MODES:
        raise ValueError("a file of the lab is opened to read, with mode 'r' or 'rb'")
    content = files.read(file)
    if mode == "rb":
        return io.BytesIO(content)
    text = content.removeprefix(BYTE_ORDER_MARK).decode(encoding or "utf-8")
    return io.StringIO(text, newline)


def _load_text(files: Files, read: Callable[..., Any], fname: object, **options: Any) -> Any:
    opened = fname if type(fname) in OPENED else open_file(files, fname)
    return read(opened, **options)


def loadtxt(files: Files, fname: object, dtype: Any = float, **options: Any) -> Any:
    """``numpy.loadtxt`` of a file of the cell, of lines, or of a text in memory."""
    return _load_text(files, numpy.loadtxt, fname, dtype=dtype, **options)


def genfromtxt(files: Files, fname: object, dtype: Any = float, **options: Any) -> Any:
    """``numpy.genfromtxt``, likewise."""
    return _load_text(files, numpy.genfromtxt, fname, dtype=dtype, **options)
