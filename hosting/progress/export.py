"""The class's answers and progress as CSV, safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import astuple, fields
from datetime import datetime

from hosting.progress.overview import AnswerRow, DoneRow, read_all_answers, read_all_done
from hosting.progress.store import Store

# How a cell begins that a spreadsheet would compute. It may split a row at semicolons or tabs, too,
# or at a line break inside of a cell.
FORMULA = re.compile(r"(?:^|[;\t\r\n])\s*(?=[=+@＝＋－＠-])")
BOM = b"\xef\xbb\xbf"  # without it, Excel takes Chinese for something else


def answers_csv(store: Store) -> bytes:
    """Every answer: who, where, what was said, what happened, when.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    return _table(AnswerRow, read_all_answers(store))


def done_csv(store: Store) -> bytes:
    """Everything that was done, and when.

    Raises:
        ProgressUnavailableError: The database cannot be asked at the moment.
    """
    return _table(DoneRow, read_all_done(store))


def _table(kind: type[AnswerRow] | type[DoneRow], rows: Iterable[AnswerRow | DoneRow]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow("student" if each.name == "number" else each.name for each in fields(kind))
    for row in rows:
        writer.writerow([_cell(value) for value in astuple(row)])
    return BOM + out.getvalue().encode("utf-8")


def _cell(value: object) -> str:
    """A value as text that no spreadsheet takes for a formula.

    >>> _cell("=1+1"), _cell("x;=1+1"), _cell("cuda:0"), _cell(True), _cell(7)
    ("'=1+1", "x;'=1+1", 'cuda:0', 'yes', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return FORMULA.sub(lambda found: f"{found[0]}'", str(value))
