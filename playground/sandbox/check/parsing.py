"""Text to syntax tree; what is no Python becomes one finding that says where, in human words."""

import ast
import re

from playground.sandbox.check.finding import Finding, quoted
from playground.sandbox.limits import LIMITS

CHARACTER = re.compile(r"invalid (?:non-printable )?character (?:'(.)' )?\(?U\+([0-9A-F]+)")
NOTEBOOK = re.compile(r"\s*(%|!|\?)|[\s\w.]*\w\?{1,2}\s*$")  # lines of Jupyter, not of Python
PROMPT = re.compile(r"\s*(>>>|\.\.\. |In \[\d*\]:)")
QUOTED = re.compile(r"""'[^']*'|"[^"]*"|#.*""")  # where any letters may stand
LETTERS = re.compile(r"\b\w*[^\W\x00-\x7f]\w*")  # a word with letters that are not ASCII
FULL_WIDTH = dict(
    zip("（），：；“”‘’【】＝。、！《》＋－＊／＃～", "(),:;\"\"''[]=.,!<>+-*/#~", strict=True)
)
PHRASES = (  # how the words of Python's parser begin, or what is in them, and the id of ours
    ("was never closed", "syntax_unclosed"),
    ("does not match opening", "syntax_mismatch"),
    ("unmatched", "syntax_unmatched"),
    ("expected an indented block", "syntax_indent_missing"),
    ("unexpected indent", "syntax_indent_unexpected"),
    ("unindent does not match", "syntax_indent_odd"),
    ("inconsistent use of tabs", "syntax_indent_tabs"),
    ("expected ':'", "syntax_colon"),
    ("forgot a comma", "syntax_comma"),
    ("cannot assign to attribute here", "syntax_equals"),
    ("cannot assign to", "syntax_assign"),
    ("Maybe you meant '=='", "syntax_equals"),
    ("unterminated", "syntax_quote"),
    ("Missing parentheses in call", "syntax_print"),
    ("positional argument follows", "syntax_order"),
    ("'return' outside", "syntax_return"),
    ("'break' outside", "syntax_loop"),
    ("'continue' not properly", "syntax_loop"),
    ("'yield' outside", "syntax_return"),
)


def parse(source: str) -> ast.Module | Finding:
    """Parse a cell, or tell the first thing that keeps it from being Python."""
    if len(source) > LIMITS.source_characters:
        given, most = str(len(source)), str(LIMITS.source_characters)
        return Finding("too_long", 1, 1, {"given": given, "most": most})
    if (place := _binary(source)) is not None:
        return Finding("binary", *position(source, place))
    try:
        return ast.parse(source)
    except SyntaxError as error:
        return told(error, source)
    except (ValueError, RecursionError, MemoryError):
        return Finding("too_nested", 1, 1)


def position(source: str, place: int) -> tuple[int, int]:
    """Line and column, from 1, of a place in a text.

    >>> position("ab\\ncd", 4)
    (2, 2)
    """
    before = source[:place]
    return before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1


def told(error: SyntaxError, source: str) -> Finding:
    """Python's refusal in our words."""
    line, column = max(1, error.lineno or 1), max(1, error.offset or 1)
    lines = source.splitlines()
    text = lines[line - 1] if line <= len(lines) else ""
    message = str(error.msg)
    if found := CHARACTER.search(message):
        return _character(chr(int(found[2], 16)), found[2], line, column)
    if NOTEBOOK.match(text):
        return Finding("notebook", line, column, {"line": quoted(text)})
    if PROMPT.match(text):
        return Finding("prompt", line, column, {"line": quoted(text)})
    if "too many" in message or "too complex" in message or "memory" in message:
        return Finding("too_nested", line, column)
    for phrase, id in PHRASES:
        if phrase in message:
            return Finding(id, line, column, {"said": quoted(message), "line": quoted(text)})
    if odd := LETTERS.search(QUOTED.sub(lambda found: " " * len(found[0]), text)):
        return Finding("alphabet", line, odd.start() + 1, {"name": quoted(odd[0])})
    return Finding("syntax", line, column, {"said": quoted(message), "line": quoted(text)})


def _character(character: str, code: str, line: int, column: int) -> Finding:
    plain = FULL_WIDTH.get(character)
    if plain is None and 0xFF01 <= ord(character) <= 0xFF5E:  # the full-width ASCII block
        plain = chr(ord(character) - 0xFEE0)
    if plain is not None:
        values = {"given": character, "plain": plain}
        return Finding("full_width", line, column, values)
    if not character.isprintable() or character.isspace():
        return Finding("invisible", line, column, {"code": f"U+{code}"})
    return Finding("character", line, column, {"given": character})


def _binary(source: str) -> int | None:
    """Where the first character is that no text has."""
    if source.isprintable():
        return None
    for place, each in enumerate(source):
        if (
            (each < " " and each not in "\n\r\t\f")
            or 0xD800 <= ord(each) <= 0xDFFF
            or each == "\x7f"
        ):
            return place
    return None
