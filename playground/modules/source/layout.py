"""Lays out expressions in lines of at most 60 columns, as Python's formatters do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

MAX_COLUMNS = 60
INDENT = "    "


class Line(str):
    """A line of a program, which knows the node that it is about.

    Attributes:
        path: The node's path; None for a line that is about no single node.
    """

    path: str | None
    __slots__ = ("path",)

    def __new__(cls, text: str, path: str | None = None) -> "Line":
        line = super().__new__(cls, text)
        line.path = path
        return line


@dataclass(frozen=True, slots=True)
class Brackets:
    """The text between two brackets: the arguments of a call, the items of a list.

    Attributes:
        opening: With what is called: ``"nn.Linear("``, ``"["``.
        items: Separated by commas.
        closing: ``")"`` or ``"]"``, and what follows it.
        is_open: One item a line, also where they would fit on one.
        loop: Behind the only item of a comprehension: ``"for _ in range(3)"``.
        path: Of the node that it makes.
    """

    opening: str
    items: tuple["Expression", ...]
    closing: str = ")"
    is_open: bool = False
    loop: str = ""
    path: str | None = None


Expression: TypeAlias = str | Brackets


def call(function: str, items: Sequence[Expression], *, is_open: bool = False) -> Brackets:
    """Write a call; ``is_open`` puts each argument on its own line."""
    return Brackets(f"{function}(", tuple(items), is_open=is_open and bool(items))


def prefixed(prefix: str, expression: Expression) -> Expression:
    """Put a prefix such as ``bias=`` in front of an expression."""
    if isinstance(expression, str):
        return prefix + expression
    return replace(expression, opening=prefix + expression.opening)


def followed(expression: Expression, suffix: str) -> Expression:
    """Put a suffix such as ``[0]`` behind an expression."""
    if isinstance(expression, str):
        return expression + suffix
    return replace(expression, closing=expression.closing + suffix)


def lines(
    expression: Expression, *, indent: int = 0, after: str = "", path: str | None = None
) -> list[Line]:
    """Lay an expression out.

    Args:
        expression: What to write; what stands before it on its line is part of it.
        indent: How many levels deep.
        after: What follows it on its last line.
        path: Of the node that it is about, unless it knows better.

    >>> lines(call("net = nn.Sequential", ["nn.ReLU()"], is_open=True))
    ['net = nn.Sequential(', '    nn.ReLU(),', ')']
    """
    margin = INDENT * indent
    one_line = margin + flat(expression) + after
    if isinstance(expression, str):
        return [Line(one_line, path)]
    path = path if expression.path is None else expression.path
    if len(one_line) <= MAX_COLUMNS and not is_open(expression):
        return [Line(one_line, path)]
    if not expression.items:
        return [Line(one_line, path)]
    return [
        Line(margin + expression.opening, path),
        *_inside(expression, indent + 1, path),
        Line(margin + expression.closing + after, path),
    ]


def flat(expression: Expression) -> str:
    """Write an expression on one line."""
    if isinstance(expression, str):
        return expression
    loop = f" {expression.loop}" if expression.loop else ""
    inside = ", ".join(flat(item) for item in expression.items)
    return expression.opening + inside + loop + expression.closing


def words_in(expression: Expression) -> list[str]:
    """Return the parts of an expression that are no brackets, such as the names of variables."""
    if isinstance(expression, str):
        return [expression]
    return [word for item in expression.items for word in words_in(item)]


def is_open(expression: Expression) -> bool:
    """Return whether anything in an expression asks for lines of its own."""
    if isinstance(expression, str):
        return False
    return expression.is_open or any(is_open(item) for item in expression.items)


def _inside(expression: Brackets, indent: int, path: str | None) -> list[Line]:
    margin = INDENT * indent
    if expression.loop:
        inner = lines(expression.items[0], indent=indent, path=path)
        return [*inner, Line(margin + expression.loop, path)]
    together = margin + ", ".join(flat(item) for item in expression.items)
    if not is_open(expression) and len(together) <= MAX_COLUMNS:
        return [Line(together, path)]
    lone = len(expression.items) == 1 and not isinstance(expression.items[0], str)
    comma = "" if lone and not expression.is_open else ","
    return [
        line
        for item in expression.items
        for line in lines(item, indent=indent, after=comma, path=path)
    ]
