"""A parsed program as the rules see it, and what they find: a place, a level, a sentence.

A program has its tree, the parent of each node, and what each name means. Text that is not Python
becomes one finding, which says where and why in plain words.
"""

import ast
import difflib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path
from typing import TypeAlias

import tomli

from playground.sandbox.allowed_names import MODULES, part_of, words
from playground.sandbox.limits import LIMITS

MAX_QUOTED = 60  # of what a sentence quotes from the cell
MIN_LETTERS = 4  # letters of a name; a shorter one is near to too many
NEVER_CORRECTED = words(
    """
    backends classes compiler decode distributed encode export from_file fromfile genfromtxt hub
    jit load loads memmap multiprocessing onnx package profiler save saves serialization sparse
    storage system tensorboard
    """
)  # names that exist elsewhere, and are meant as they stand
CHARACTER = re.compile(r"invalid (?:non-printable )?character (?:'(.)' )?\(?U\+([0-9A-F]+)")
NOTEBOOK = re.compile(r"\s*(%|!|\?)|[\s\w.]*\w\?{1,2}\s*$")  # lines of Jupyter, not of Python
PROMPT = re.compile(r"\s*(>>>|\.\.\. |In \[\d*\]:)")
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
Suggestion: TypeAlias = Callable[[], str | None]


@unique
class Level(StrEnum):
    """The consequence of a finding.

    Attributes:
        REFUSE: The cell is not run: this would leave the facade.
        NOTE: The cell runs; the sentence is advice.
        HANDLED: The cell runs; the line was done in another way, which the sentence says.
    """

    REFUSE = "refuse"
    NOTE = "note"
    HANDLED = "handled"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the check.

    Attributes:
        id: Stable; names the sentence, e.g. ``"rebinds"``.
        line: From 1.
        column: From 1.
        values: What the sentence mentions; quoted from the cell, so never to be shown as markup.
    """

    id: str
    line: int
    column: int
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """The consequence; it depends on the id alone."""
        return Level(sentences()[self.id].get("level", Level.REFUSE))

    def sentence(self, language: str = "en") -> str:
        """Say what was found and what to write instead, as plain text without the line.

        >>> Finding("async", 3, 1).sentence()
        'A program runs from top to bottom here, without `async` and `await`.'
        """
        return sentences()[self.id][language].format_map(self.values)

    def __str__(self) -> str:
        return f"Line {self.line}: {self.sentence()}"


@functools.cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return by id the sentence in ``"en"`` and ``"zh"``, and the level if it is no refusal."""
    text = Path(__file__).with_name("sentences.toml").read_text("utf-8")
    return tomli.loads(text)


def quoted(text: str) -> str:
    """Shorten a text of the cell to one line that a sentence can quote.

    >>> quoted("a" * 100)[-3:]
    'aa…'
    """
    line = " ".join(text.split())
    shown = "".join(each if each.isprintable() else "�" for each in line)
    return shown if len(shown) <= MAX_QUOTED else f"{shown[: MAX_QUOTED - 1]}…"


def nearest(given: str, *known: Iterable[str]) -> str | None:
    """Return the known name most similar to a given one; None if there is none.

    It takes a millisecond, since each known name is compared.

    >>> nearest("Liner", ["Linear", "ReLU"], ["Flatten"])
    'Linear'
    """
    if len(given) < MIN_LETTERS or given in NEVER_CORRECTED:
        return None
    close = difflib.get_close_matches(given, sorted(set().union(*known)), n=1, cutoff=0.8)
    return close[0] if close else None


def parse(source: str) -> ast.Module | Finding:
    """Parse a cell, or say why it is not Python."""
    if len(source) > LIMITS.source_characters:
        given, most = str(len(source)), str(LIMITS.source_characters)
        return Finding("too_long", 1, 1, {"given": given, "most": most})
    if (place := _binary(source)) is not None:
        return Finding("binary", *position(source, place))
    try:
        return ast.parse(source)
    except SyntaxError as error:
        return _syntax_finding(error, source)
    except (ValueError, RecursionError, MemoryError):
        return Finding("too_nested", 1, 1)


def position(source: str, place: int) -> tuple[int, int]:
    """Return line and column, from 1, of an offset in a text.

    >>> position("ab\\ncd", 4)
    (2, 2)
    """
    before = source[:place]
    return before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1


def _syntax_finding(error: SyntaxError, source: str) -> Finding:
    """Translate an error of Python's parser into a finding."""
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
    """Return the offset of the first control character."""
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


@dataclass(slots=True)
class Program:
    """The input of the rules, and what they find.

    Attributes:
        nodes: Every node of the tree, from the outside in.
        parents: By node: the one it stands in.
        roots: By name: the module it is bound to, e.g. ``{"nn": "torch.nn"}``.
        imported: By name: the module's member it is bound to, e.g. ``{"Tensor": "torch.Tensor"}``.
        imported_roots: Those of the roots that the cell imports.
        bound: Names that the cell gives something itself.
        rebound_modules: Those of them that an import has bound to a module as well.
        attributes: Attributes that the cell makes itself.
        is_dynamic: It makes others by a text that is not known before it runs.
        missing: Names that an import gives which is refused.
        reported: Nodes with a finding; a chain that continues them needs no other.
        findings: Each with a search for the name that was perhaps meant.
    """

    nodes: list[ast.AST]
    parents: Mapping[ast.AST, ast.AST]
    roots: dict[str, str] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    imported_roots: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    rebound_modules: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    is_dynamic: bool = False
    missing: set[str] = field(default_factory=set)
    reported: set[ast.AST] = field(default_factory=set)
    findings: list[tuple[Finding, Suggestion | None]] = field(default_factory=list)

    def report(
        self, id: str, node: ast.AST, meant: Suggestion | None = None, **values: str
    ) -> None:
        """Add a finding at a node.

        Args:
            id: Of the sentence.
            node: Where it is.
            meant: Looks for the name that was perhaps meant; called for findings that are shown.
            values: What the sentence mentions.
        """
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
            line, column = node.end_lineno, node.end_col_offset - len(node.attr)  # the last name
        self.reported.add(node)
        shown = {name: quoted(value) for name, value in values.items()}
        self.findings.append((Finding(id, line, column + 1, shown), meant))

    def statement_around(self, node: ast.AST) -> ast.AST | None:
        """Return what the statement of a node stands in; None for the module."""
        statement = node
        while not isinstance(statement, ast.stmt):
            if isinstance(statement, ast.arg | ast.Module):
                return None
            statement = self.parents[statement]
        return self.parents.get(statement)

    def is_tried(self, node: ast.AST) -> bool:
        """Return whether the cell catches the failure of an import."""
        for around in self.around(node):
            if isinstance(around, ast.Try):
                caught = [each.type for each in around.handlers]
                texts = " ".join(ast.unparse(each) if each else "Exception" for each in caught)
                if any(name in texts for name in ("ImportError", "ModuleNotFound", "Exception")):
                    return True
        return False

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node, from the inside out."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def module_of(self, node: ast.AST) -> str | None:
        """Return the module that an expression names, e.g. ``"torch.nn.init"``, else None."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.roots:
            return None
        module = self.roots[node.id]
        for part in reversed(parts):
            if part not in MODULES[module].parts:
                return None
            module = part_of(module, part)
        return module

    def member_of(self, node: ast.AST) -> str | None:
        """Return the dotted name of a module's member, e.g. ``"torch.no_grad"``, else None."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        module = self.module_of(node.value)
        return None if module is None else f"{module}.{node.attr}"


def stem(node: ast.AST) -> ast.AST:
    """Return the first node of a chain of attributes, items and calls.

    >>> import ast
    >>> stem(ast.parse("net[0].weight", mode="eval").body).id
    'net'
    """
    while True:
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return node
