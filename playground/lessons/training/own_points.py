"""Points of the visitor's own: read from a text or a small table, and checked."""

import math
import re

from playground.compute.settings import check_length
from playground.errors import InvalidSettingError

MAX_POINTS = 100
MAX_CHARACTERS = 8000
REACH = 1.7  # the plane goes from minus this to this, both ways
CROSS = "-1 -1 0; 1 1 0; -1 1 1; 1 -1 1"  # no straight line divides it
Point = tuple[float, float, int]


def parse(text: str, field: str = "own") -> tuple[Point, ...]:
    """Read points: one (x, y, class) a line, or several in a line with semicolons between them.

    The numbers are separated by commas, spaces or tabs; a first line of names is left out.

    Raises:
        InvalidSettingError: A row is no point of the plane, or there are too many.

    >>> parse("x,y,class\\n0.5,-1,0\\n1,1,1")
    ((0.5, -1.0, 0), (1.0, 1.0, 1))
    """
    check_length(field, text, most=MAX_CHARACTERS)
    lines = text.splitlines() if "\n" in text.strip() else text.split(";")
    rows = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    if rows and not re.search(r"\d", rows[0][1]):
        del rows[0]
    if len(rows) > MAX_POINTS:
        raise InvalidSettingError("points_count", field=field, given=len(rows), most=MAX_POINTS)
    return tuple(_point(field, number, line) for number, line in rows)


def _point(field: str, row: int, line: str) -> Point:
    """Read one row.

    Raises:
        InvalidSettingError: It has no three numbers, or they are out of range.
    """
    cells = [each for each in re.split(r"[,\s]+", line) if each]
    try:
        x, y, label = (float(each) for each in cells)
    except ValueError:
        raise InvalidSettingError("points_row", field=field, given=line[:40], row=row) from None
    if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= REACH):
        raise InvalidSettingError("points_place", field=field, given=line[:40], row=row, most=REACH)
    if label not in (0, 1):
        raise InvalidSettingError("points_class", field=field, given=cells[2][:20], row=row)
    return (round(x, 2), round(y, 2), int(label))


def to_text(points: tuple[Point, ...]) -> str:
    """Return points as the text of the setting.

    >>> to_text(((0.5, -1.0, 0), (1.0, 1.0, 1)))
    '0.5 -1 0; 1 1 1'
    """
    return "; ".join(f"{x:g} {y:g} {label}" for x, y, label in points)


def to_table(points: tuple[Point, ...]) -> str:
    """Return points as the rows of a CSV file."""
    return "".join(f"{x:g},{y:g},{label}\n" for x, y, label in points)


def has_both_classes(points: tuple[Point, ...]) -> bool:
    """Return whether there is something to classify."""
    return {label for _, _, label in points} == {0, 1}
