"""Questions about a program that ran without an error and perhaps does not do what is meant.

Some are seen in its text, others in the report of its run. Each may be meant, so it is asked.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import tomli

from playground.catalog import Text
from playground.sandbox.allowed_names import words
from playground.sandbox.cell_answer import Descent
from playground.sandbox.check import translate
from playground.sandbox.module_report import GradientVerdict
from playground.sandbox.report import SandboxReport

FILE = Path(__file__).with_name("questions.toml")
COPIES = words(
    """
    bool clone contiguous cpu cuda detach double flatten float half int long permute reshape
    squeeze t to transpose unsqueeze view
    """
)  # methods of a tensor that return another one
DTYPES = words(
    """
    bfloat16 bool complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint8
    """
)  # in notes of lines, the kind of a tensor
MIN_STEPS = 10  # of a loss that could have fallen
FALLEN, GROWN = 0.98, 2.0  # times the loss at first
NOT_REACHED = frozenset({GradientVerdict.UNUSED, GradientVerdict.CUT})
MAX_NAMES = 3
LOOPS = ast.For | ast.While


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a program.

    Attributes:
        id: Names the sentence.
        line: The line that it is about; None for the whole program.
        values: What the sentence mentions; from the program, so untrusted.
    """

    id: str
    line: int | None = None
    values: dict[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> Text:
        """The question in both languages; `code` only."""
        known = sentences()[self.id]
        return Text(en=known.en.format_map(self.values), zh=known.zh.format_map(self.values))


@cache
def sentences() -> dict[str, Text]:
    """Return the sentence of each question."""
    table = tomli.loads(FILE.read_text("utf-8"))
    return {name: Text(**texts) for name, texts in table.items()}


def questions(report: SandboxReport, program: str) -> tuple[Question, ...]:
    """Return the questions about a run without an error, the most specific first.

    Args:
        report: Of the program.
        program: What ran.
    """
    if not report.ok:
        return ()
    try:
        tree = ast.parse(translate(program).source)  # the lines are the same
    except (SyntaxError, ValueError):
        return ()
    found = [*_lost_copies(tree, report), *_training(tree), *_softmax_twice(tree)]
    if ".backward(" in program:
        found += _not_reached(report)
    if report.descent is not None and not any(each.id.startswith("no-") for each in found):
        found += _loss(report.descent)
    return tuple(found)


def _lost_copies(tree: ast.Module, report: SandboxReport) -> Iterator[Question]:
    """Find statements that make another tensor and do not keep it."""
    kinds = {note.name: note.kind for line in report.lines for note in line.notes}
    for statement in tree.body[: None if report.value is None else -1]:  # the last one is shown
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))
            ) if method in COPIES and kinds.get(name, "") in DTYPES:
                yield Question("lost-copy", statement.lineno, {"name": name, "method": method})


def _methods(tree: ast.AST) -> dict[str, ast.Call]:
    """Return the first call of each method."""
    found: dict[str, ast.Call] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found.setdefault(node.func.attr, node)
    return found


def _training(tree: ast.Module) -> Iterator[Question]:
    """Look at the loops that call ``backward``."""
    called = _methods(tree)
    loop = next(
        (
            each
            for each in ast.walk(tree)
            if isinstance(each, LOOPS) and "backward" in _methods(each)
        ),
        None,
    )
    optimizer = _optimizer(tree)
    if loop is None or not optimizer:
        return
    inside = _methods(loop)
    if "step" not in called:
        yield Question("no-step", loop.lineno, {"name": optimizer})
    elif "step" in inside and not ({"zero_grad", "zero_"} & called.keys()) and not _clears(tree):
        yield Question("no-zero-grad", loop.lineno, {"name": optimizer})


def _optimizer(tree: ast.Module) -> str:
    """Return the variable that holds an optimizer."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=called, args=[_, *_])
            ) if "optim" in ast.unparse(called):
                return name
    return ""


def _clears(tree: ast.AST) -> bool:
    """Return whether some ``.grad`` is assigned."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Store)
        for node in ast.walk(tree)
    )


def _softmax_twice(tree: ast.Module) -> Iterator[Question]:
    """Look for a network that ends with softmax before a loss that applies it."""
    text = ast.unparse(tree)
    if "CrossEntropyLoss" not in text and "cross_entropy(" not in text:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="Sequential") | ast.Name(id="Sequential"),
                args=[*_, ast.Call(func=last)],
            ) if ast.unparse(last).rpartition(".")[2] == "Softmax":
                yield Question("softmax-twice", last.lineno)
                return


def _not_reached(report: SandboxReport) -> list[Question]:
    """Name parameters at which no gradient arrives."""
    for module in report.modules:
        names = [row.name for row in module.parameters if row.verdict in NOT_REACHED]
        if names:
            shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMES])
            more = ", …" if len(names) > MAX_NAMES else ""
            return [Question("no-gradient", None, {"names": shown + more, "module": module.name})]
    return []


def _loss(descent: Descent) -> list[Question]:
    """Ask about a loss that did not fall."""
    values = {
        "steps": str(descent.steps),
        "first": f"{descent.first:.4g}",
        "last": f"{descent.last:.4g}",
    }
    if not descent.is_finite:
        return [Question("loss-not-finite", None, values)]
    if descent.steps < MIN_STEPS or descent.first <= 0:
        return []
    if descent.last > GROWN * descent.first:
        return [Question("loss-grows", None, values)]
    return [Question("loss-flat", None, values)] if descent.last > FALLEN * descent.first else []
