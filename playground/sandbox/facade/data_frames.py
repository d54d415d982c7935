"""pandas as a cell has it: real tables with a list of methods, and files in memory.

pandas calls methods and imports packages that a text names: ``df.agg("mean")``, ``df.eval("a+b")``,
``df.plot(backend=…)``. Such methods are not in the list, or are replaced here.
"""

import io
import sys
from collections.abc import Callable
from typing import Any

from playground.sandbox.allowed_names import words
from playground.sandbox.facade.files import Files
from playground.sandbox.facade.guard import VIRTUAL
from playground.sandbox.facade.own_file import OPENED, open_file

_loaded: dict[str, Any] = sys.modules
_loaded.setdefault("pyarrow", None)  # which would start threads: pandas does without
import pandas  # noqa: E402
from pandas.api.typing import DataFrameGroupBy  # noqa: E402

if _loaded["pyarrow"] is None:
    del _loaded["pyarrow"]

READ_OPTIONS = words(
    """
    comment decimal delimiter dtype encoding false_values header index_col keep_default_na names
    na_filter na_values nrows parse_dates sep skip_blank_lines skipfooter skipinitialspace skiprows
    thousands true_values usecols
    """
)  # none opens a file, names a package, or returns a reader
Method = Callable[..., Any]
KINDS: tuple[Any, ...] = (pandas.DataFrame, pandas.Series)
_files = [Files()]


def write_to(files: Files) -> None:
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
    if not isinstance(owner, KINDS):
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
