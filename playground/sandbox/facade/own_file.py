"""Files of a cell as Python and NumPy read and write them, ``open`` among them, all in memory."""

import errno
import io
import os
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

import numpy

from playground.sandbox.facade.files import Files, WrittenFile

MODES = frozenset(f"{act}{kind}" for act in "rwax" for kind in ("", "b", "t"))
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # what spreadsheets put before a CSV
OPENED = (io.StringIO, io.BytesIO, list)


def open_file(
    files: Files,
    file: object,
    mode: str = "r",
    encoding: str | None = None,
    newline: str | None = None,
) -> io.StringIO | io.BytesIO | io.TextIOWrapper:
    """Python's ``open``, to read or to write.

    Raises:
        TypeError: ``file`` is no plain name.
        ValueError: A mode that does both, or that Python does not know.
        FileNotFoundError: There is no such file to read, or no such folder.
        FileExistsError: There is one already, and the mode is ``"x"``.
        UnicodeDecodeError: It is no text in this encoding.
    """
    if mode not in MODES:
        raise ValueError(f"a file of the lab is opened with mode 'r', 'w', 'a' or 'x': {mode!r}")
    if "r" not in mode:
        written = _written(files, files.named(file), mode)
        if "b" in mode:
            return written
        return io.TextIOWrapper(written, encoding or "utf-8", newline=newline)
    content = files.read(file)
    if "b" in mode:
        return io.BytesIO(content)
    text = content.removeprefix(BYTE_ORDER_MARK).decode(encoding or "utf-8")
    return io.StringIO(text, newline)


def _written(files: Files, name: str, mode: str) -> WrittenFile:
    exists = files.is_file(name)
    if exists and "x" in mode:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
    return WrittenFile(files, name, files.read(name) if exists and "a" in mode else b"")


def _load_text(files: Files, read: Callable[..., Any], fname: object, **options: Any) -> Any:
    opened = fname if type(fname) in OPENED else open_file(files, fname)
    return read(opened, **options)


def loadtxt(files: Files, fname: object, dtype: Any = float, **options: Any) -> Any:
    """``numpy.loadtxt`` of a file of the cell, of lines, or of a text in memory."""
    return _load_text(files, numpy.loadtxt, fname, dtype=dtype, **options)


def genfromtxt(files: Files, fname: object, dtype: Any = float, **options: Any) -> Any:
    """``numpy.genfromtxt``, likewise."""
    return _load_text(files, numpy.genfromtxt, fname, dtype=dtype, **options)


def save(files: Files, file: object, arr: Any, allow_pickle: bool = True) -> None:
    """``numpy.save``, of numbers and text; objects would be pickled.

    Raises:
        TypeError: ``file`` is no file of a cell.
        ValueError: It is an array of objects.
    """
    del allow_pickle
    _write(files, file, ".npy", lambda to: numpy.save(to, arr, allow_pickle=False))


def savez(
    files: Files,
    write: Callable[..., None],
    /,
    file: object,
    *arrays: Any,
    allow_pickle: bool = True,
    **named: Any,
) -> None:
    """``numpy.savez`` and ``numpy.savez_compressed``, likewise."""
    del allow_pickle
    _write(files, file, ".npz", lambda to: write(to, *arrays, allow_pickle=False, **named))


def _write(files: Files, file: object, suffix: str, write: Callable[[io.BytesIO], None]) -> None:
    """Let NumPy write into memory, and keep it under the name that it would give the file."""
    if type(file) in (io.BytesIO, WrittenFile):
        write(cast("io.BytesIO", file))
        return
    name, content = files.named(file), io.BytesIO()
    write(content)
    files.write(name if name.endswith(suffix) else f"{name}{suffix}", content.getvalue())


class Arrays(dict[str, Any]):
    """The arrays of an archive of ``numpy.savez``; they are read when it is opened.

    NumPy's own object would give away the archive behind it.

    Args:
        opened: The archive.

    Attributes:
        files: Their names.
    """

    def __init__(self, opened: Mapping[str, Any]) -> None:
        super().__init__(opened)
        self.files = list(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the arrays as they are."""

    def __repr__(self) -> str:
        return f"NpzFile with keys: {', '.join(self)}"


def load(
    files: Files, file: object, mmap_mode: None = None, allow_pickle: bool = False
) -> numpy.ndarray[Any, Any] | Arrays:
    """``numpy.load``; a pickle in the file is never read.

    Raises:
        TypeError: ``file`` is no file of a cell.
        FileNotFoundError: There is no such file.
        ValueError: Objects or mapped memory were asked for, or the file has objects.
    """
    if allow_pickle is not False:
        raise ValueError("the lab loads arrays with allow_pickle=False only")
    if mmap_mode is not None:
        raise ValueError("files of the lab are in memory: mmap_mode=None")
    content = file if type(file) is io.BytesIO else io.BytesIO(files.read(file))
    found = numpy.load(content, allow_pickle=False)
    return found if isinstance(found, numpy.ndarray) else Arrays(found)
