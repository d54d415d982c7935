"""Lays out expressions in lines of at most 88 characters, as Python's formatters do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

MAX_COLUMNS = 88
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Brackets:
    """The text between two brackets: the arguments of a call, the items of a list.

    Attributes:
        opening: With what is called: ``"nn.Linear("``, ``"["``.
        items: Separated by commas.
        closing: ``")"`` or ``"]"``.
        is_open: One item a line, also where they would fit on one.
        loop: Behind the only item of a comprehension: ``"for _ in range(3)"``.
    """

    opening: str
    items: tuple["Expression", ...]
    closing: str = ")"
    is_open: bool = False
    loop: str = ""


Expression: TypeAlias = str | Brackets


def call(function: str, items: Sequence[Expression], *, is_open: bool = False) -> Brackets:
    """Write a call; ``is_open`` puts each argument on its own line."""
    return Brackets(f"{function}(", tuple(items), is_open=is_open and bool(items))


def prefixed(prefix: str, expression: Expression) -> Expression:
    """Put a prefix such as ``bias=`` in front of an expression."""
    if isinstance(expression, str):
        return prefix + expression
    return Brackets(
        prefix + expression.opening,
        expression.items,
        expression.closing,
        expression.is_open,
        expression.loop,
    )


def lines(expression: Expression, *, indent: int = 0, after: str = "") -> list[str]:
    """Lay an expression out.

    Args:
        expression: What to write; what stands before it on its line is part of it.
        indent: How many levels deep.
        after: What follows it on its last line.

    >>> lines(call("net = nn.Sequential", ["nn.ReLU()"], is_open=True))
    ['net = nn.Sequential(', '    nn.ReLU(),', ')']
    """
    margin = INDENT * indent
    one_line = margin + flat(expression) + after
    if isinstance(expression, str):
        return [one_line]
    if len(one_line) <= MAX_COLUMNS and not is_open(expression):
        return [one_line]
    return [
        margin + expression.opening,
        *_inside(expression, indent + 1),
        margin + expression.closing + after,
    ]


def flat(expression: Expression) -> str:
    """Write an expression on one line."""
    if isinstance(expression, str):
        return expression
    loop = f" {expression.loop}" if expression.loop else ""
    inside = ", ".join(flat(item) for item in expression.items)
    return expression.opening + inside + loop + expression.closing


def is_open(expression: Expression) -> bool:
    """Return whether anything in an expression asks for lines of its own."""
    if isinstance(expression, str):
        return False
    return expression.is_open or any(is_open(item) for item in expression.items)


def _inside(expression: Brackets, indent: int) -> list[str]:
    margin = INDENT * indent
    if expression.loop:
        return [*lines(expression.items[0], indent=indent), margin + expression.loop]
    together = margin + ", ".join(flat(item) for item in expression.items)
    if not is_open(expression) and len(together) <= MAX_COLUMNS:
        return [together]
    lone = len(expression.items) == 1 and not isinstance(expression.items[0], str)
    comma = "" if lone and not expression.is_open else ","
    return [line for item in expression.items for line in lines(item, indent=indent, after=comma)]
