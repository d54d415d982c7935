"""The text of a step's program: literals of its fields, marks around them, and its parts."""

import difflib
import re
import textwrap
from dataclasses import dataclass
from enum import StrEnum

# Private-use characters mark places in a program; repr escapes them in values.
OPEN, MIDDLE, CLOSE, ASKED, FOLDED = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
MARKED = re.compile(f"{OPEN}(.*?){MIDDLE}(.*?){CLOSE}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a program: plain text, or the text of a field.

    Attributes:
        field: The field's name; empty for plain text.
    """

    text: str
    field: str = ""


class Words:
    """The literals of a step's fields; the value of a StrEnum is code itself.

    Args:
        settings: The step, or another object with these fields.
        is_marked: Put marks around the literals, at which ``split_parts`` splits the program.
    """

    def __init__(self, settings: object, *, is_marked: bool = False) -> None:
        self._settings, self._is_marked = settings, is_marked

    @property
    def asked(self) -> str:
        """The mark of the line that the question is about; empty in the plain program."""
        return ASKED if self._is_marked else ""

    @property
    def folded(self) -> str:
        """The mark of the last line that is folded at first; empty in the plain program."""
        return FOLDED if self._is_marked else ""

    def __getattr__(self, name: str) -> str:
        return self.mark(name, literal(getattr(self._settings, name)))

    def mark(self, name: str, code: str) -> str:
        """Mark a piece of code that belongs to a field, such as the line of an option.

        The code must not contain a visitor's text, except through ``literal``.
        """
        return f"{OPEN}{name}{MIDDLE}{code}{CLOSE}" if self._is_marked else code


def literal(value: object) -> str:
    """Write a value as a Python literal, texts in double quotes; the value of a StrEnum is code.

    >>> literal("cuda:0"), literal('say "hi"'), literal(2.5)
    ('"cuda:0"', '\\'say "hi"\\'', '2.5')
    """
    if isinstance(value, StrEnum):
        return value.value
    written = repr(value)
    if isinstance(value, str) and written[0] == "'" and '"' not in written:
        return f'"{written[1:-1]}"'
    return written


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """Return the lines that differ between two programs, before and after.

    Lines that only change places are returned with those between them.

    >>> changed_lines("a = 1\\nb = 2", "a = 1\\nb = 3")
    ('b = 2', 'b = 3')
    >>> changed_lines("a = 1\\nb = 2", "b = 2\\na = 1")
    ('a = 1\\nb = 2', 'b = 2\\na = 1')
    """
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [change for kind, *change in matcher.get_opcodes() if kind != "equal"]
    removed = [line for i, j, _, _ in changes for line in old[i:j]]
    added = [line for _, _, k, end in changes for line in new[k:end]]
    if changes and sorted(removed) == sorted(added):
        first, last = changes[0][0], changes[-1][1]
        removed, added = old[first:last], new[first:last]
    return "\n".join(removed), "\n".join(added)


def split_parts(code: str) -> tuple[Part, ...]:
    """Split a marked program at the words that belong to fields."""
    marked = dedent(code).replace(ASKED, "").replace(FOLDED, "")
    plain, *others = MARKED.split(marked)
    parts = [Part(plain)]
    for name, word, after in zip(others[::3], others[1::3], others[2::3], strict=True):
        parts += [Part(word, name), Part(after)]
    return tuple(part for part in parts if part.text or part.field)


def line_of(mark: str, code: str) -> int | None:
    """Return the number of the line with a mark; None if there is none."""
    before, found, _ = dedent(code).partition(mark)
    return before.count("\n") + 1 if found else None


def dedent(code: str) -> str:
    """Remove the indentation and the empty lines around a program."""
    return textwrap.dedent(code).strip("\n")
