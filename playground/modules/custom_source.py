"""The source of the classes in ``custom``, read from the file without importing it.

A program shows bare code, as a teacher writes it: docstrings and annotations are left out.
"""

import ast
import copy
import functools
import re
from pathlib import Path

TEXT = Path(__file__).with_name("custom.py").read_text("utf-8")
BODY = ast.parse(TEXT).body
CLASSES = {node.name: node for node in BODY if isinstance(node, ast.ClassDef)}
# Those that a spec may name as a layer; blocks are built from the others.
LAYERS = ("MLP", "NestMLP", "FixedHiddenMLP", "CenteredLayer", "MyLinear", "MyLinearWithData") + (
    "Item",
    "Permute",
    "Reshape",
    "PositionalEmbedding",
    "CausalSelfAttention",
)
DEFAULT = re.compile(r" = (?=[^=])")


@functools.cache
def class_source(name: str) -> str:
    """Return the source of one of our classes.

    Args:
        name: The class, e.g. ``"MLP"``.

    Raises:
        KeyError: We have none of that name.

    >>> print(class_source("CenteredLayer"))
    class CenteredLayer(nn.Module):
        def forward(self, X):
            return X - X.mean()
    """
    return _bare(CLASSES[name], TEXT.splitlines())


@functools.cache
def imports(name: str) -> tuple[str, ...]:
    """Return the lines that import what the class needs.

    >>> imports("MLP")
    ('from torch import nn', 'from torch.nn import functional as F')
    """
    words = set(re.findall(r"\w+", class_source(name)))
    found = []
    for node in BODY:
        if isinstance(node, ast.Import | ast.ImportFrom):
            wanted = copy.copy(node)
            wanted.names = [each for each in node.names if (each.asname or each.name) in words]
            found += [ast.unparse(wanted)] if wanted.names else []
    return tuple(found)


def _bare(node: ast.ClassDef, lines: list[str]) -> str:
    """Return the text of a class without docstrings and annotations."""
    gone: set[int] = set()
    cuts: list[tuple[int, int, int]] = []  # row, from column, to column
    for each in ast.walk(node):
        match each:
            case ast.arg(annotation=ast.expr() as annotation):
                cuts.append((each.lineno - 1, each.col_offset + len(each.arg), _end(annotation)))
            case ast.FunctionDef(returns=ast.expr() as annotation):
                start = lines[annotation.lineno - 1].rindex(" -> ", 0, _end(annotation))
                cuts.append((annotation.lineno - 1, start, _end(annotation)))
            case ast.AnnAssign(value=None):
                gone.add(each.lineno - 1)
            case ast.AnnAssign(target=target, annotation=annotation):
                cuts.append((each.lineno - 1, _end(target), _end(annotation)))
        if isinstance(each, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(each) is not None:
            gone |= set(range(each.body[0].lineno - 1, each.body[0].end_lineno or 0))
    for row, start, stop in sorted(cuts, reverse=True):
        rest = lines[row][stop:]
        in_call = not lines[row].lstrip().startswith("self.")
        lines[row] = lines[row][:start] + (DEFAULT.sub("=", rest, count=1) if in_call else rest)
    rows = range(node.lineno - 1, node.end_lineno or 0)
    kept = (lines[row] for row in rows if row not in gone)
    return re.sub(r":\n\n+", ":\n", "\n".join(kept))


def _end(node: ast.expr) -> int:
    return node.end_col_offset or 0
