"""NumPy and pandas as a cell has them, and ``open``, whose files in memory both read and write.

pandas calls methods and imports packages that a text names: ``df.agg("mean")``, ``df.eval("a+b")``,
``df.plot(backend=…)``. Such methods are not in the list of those that a cell may call, or are
replaced here. Pickles are never read, and memory that nothing was written to reads zeros.
"""

import errno
import io
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

import numpy

from playground.sandbox.allowed_names import words
from playground.sandbox.facade.files import Files, WrittenFile
from playground.sandbox.facade.guard import VIRTUAL

_loaded: dict[str, Any] = sys.modules
_loaded.setdefault("pyarrow", None)  # which would start threads: pandas does without
import pandas  # noqa: E402
from pandas.api.typing import DataFrameGroupBy  # noqa: E402

if _loaded["pyarrow"] is None:
    del _loaded["pyarrow"]

MODES = frozenset(f"{act}{kind}" for act in "rwax" for kind in ("", "b", "t"))
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # what spreadsheets put before a CSV
OPENED = (io.StringIO, io.BytesIO, list)
READ_OPTIONS = words(
    """
    comment decimal delimiter dtype encoding false_values header index_col keep_default_na names
    na_filter na_values nrows parse_dates sep skip_blank_lines skipfooter skipinitialspace skiprows
    thousands true_values usecols
    """
)  # none opens a file, names a package, or returns a reader
Method = Callable[..., Any]
TABLES: tuple[Any, ...] = (pandas.DataFrame, pandas.Series)
_files = [Files()]


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


def empty_array(shape: Any, dtype: Any = float, order: Any = "C") -> Any:
    """``numpy.empty``, filled with zeros."""
    return numpy.zeros(shape, dtype, order)


def empty_array_like(
    other: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None
) -> Any:
    """``numpy.empty_like``, filled with zeros."""
    return numpy.zeros_like(other, dtype, order, subok, shape)


def write_tables_to(files: Files) -> None:
    """Name the files of the cell that runs next."""
    _files[0] = files


def read_csv(files: Files, filepath_or_buffer: object, **options: Any) -> Any:
    """``pandas.read_csv`` of a file of the cell, or of a text in memory.

    Raises:
        TypeError: It is no file of a cell, or an option is not offered.
        FileNotFoundError: There is no such file.
    """
    if unknown := sorted(options.keys() - READ_OPTIONS):
        raise TypeError(f"the lab's read_csv() has no argument {unknown[0]!r}")
    opened: Any = filepath_or_buffer
    if type(opened) not in OPENED:
        opened = open_file(files, opened, encoding=options.get("encoding"))
    return pandas.read_csv(opened, **options)


def to_csv(owner: Any) -> Any:
    """``table.to_csv``, into a file of the cell; the text, where none is named."""
    if not isinstance(owner, TABLES):
        return NotImplemented

    def write(
        path_or_buf: Any = None,
        *,
        sep: str = ",",
        na_rep: str = "",
        header: Any = True,
        index: bool = True,
    ) -> str | None:
        text: str = owner.to_csv(None, sep=sep, na_rep=na_rep, header=header, index=index)
        if path_or_buf is None:
            return text
        _files[0].write(path_or_buf, text.encode())
        return None

    return write


VIRTUAL["to_csv"] = to_csv


def _refused(_: Method) -> Method:
    def refuse(*args: object, **words: object) -> Any:
        raise NotImplementedError("the lab has no function that runs a text as code")

    return refuse


def _of_functions(original: Method) -> Method:
    """Apply functions only; pandas calls the method that a text names."""

    def apply(owner: Any, func: Any, *args: Any, **options: Any) -> Any:
        if not callable(func):
            raise TypeError(f"apply() takes a function here, not {type(func).__name__!r}")
        return original(owner, lambda *given, **words: func(*given, **words), *args, **options)

    return apply


GroupBy = next(each for each in DataFrameGroupBy.__mro__ if "apply" in vars(each))
PATCHES: list[tuple[type, str, Callable[[Method], Method]]] = [
    (pandas.DataFrame, "eval", _refused),
    (pandas.DataFrame, "query", _refused),
    (pandas.DataFrame, "apply", _of_functions),
    (pandas.Series, "apply", _of_functions),
    (GroupBy, "apply", _of_functions),
]


def warm_up() -> None:
    """Use once what imports at its first use; in the zygote, since a child can open no file."""
    table = pandas.read_csv(io.StringIO("a,b,c\n1,x,\n2,y,0.5\n,x,1.5\n"))
    for each in (table, table.dtypes, table.describe(), table.to_csv()):
        repr(each)
    pandas.get_dummies(table, dummy_na=True).fillna(0).to_numpy(dtype=float)
    repr(table.groupby("b").mean())
    repr(table.groupby("b")["a"].apply(lambda each: each.sum()))
    repr(table["b"].str.upper().astype("category").cat.codes)
    table.merge(table, on="b").sort_values("a_x").drop_duplicates().corr(numeric_only=True)
    repr(pandas.concat([table, table]).melt("b"))
    pandas.to_datetime(pandas.Series(["2026-11-28"])).dt.strftime("%Y")
