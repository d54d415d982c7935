"""Answers that no honest child sends, and cells that cost the check most: as much as they hold."""

import json
import random
import string
from collections.abc import Callable
from typing import Any

from playground.errors import Outcome
from playground.modules.trace_types import ForwardTrace, Group, TieGroup, TieKind, TraceRow
from playground.sandbox import schema
from playground.sandbox.cell_answer import CellAnswer, ModulesAnswer, NotedWarning
from playground.sandbox.limits import LIMITS
from playground.sandbox.module_report import ModuleReport, ParameterRow

COUNTS = dict.fromkeys(("own_parameters", "depth", "call"), 1)
TOTALS = dict.fromkeys(("total_parameters", "trainable_parameters", "multiply_adds"), 1)
TOTALS |= {"buffers": 0, "size_bytes": 4}
NAMES = {"path": "a", "type_name": "A", "device": "cpu", "dtype": "int8"}
SIZES = {"output_bytes": 4, "calls": 2}
ROW = TraceRow(inputs=Group("call", ()), output=(), **COUNTS, **SIZES, **TOTALS, **NAMES)
TRACE = ForwardTrace(rows=(ROW,), outcome=Outcome(ok=True), **TOTALS)
PARAMETER = ParameterRow(name="w", shape=(1,), dtype="int8", device="cpu")
PAIR = Group("tuple", ())
DEEP_OBJECT = b'{"":' * 17 + b"{}" + b"}" * 17
TIE = TieGroup(name="", paths=(), kind=TieKind.SHARED_MEMORY, parameters=1)

Plain = dict[str, Any]


def plain(record: object, **others: object) -> Plain:
    """A record as JSON, with other values than it would take."""
    return schema.write(record) | others


def cell(**others: object) -> bytes:
    return json.dumps(plain(CellAnswer(), **others), separators=(",", ":")).encode()


def module(trace: Plain | None = None, **others: object) -> Plain:
    reported = plain(ModuleReport(name="net", type_name="Net", trace=TRACE), **others)
    return reported | {"trace": reported["trace"] | (trace or {})}


def seen(*modules: Plain) -> bytes:
    """A cell that worked, and what was seen of its modules."""
    answer = plain(ModulesAnswer(), modules=list(modules))
    return b'{"first": %s}\n' % cell() + json.dumps(answer, separators=(",", ":")).encode()


def traced(**trace: object) -> bytes:
    return seen(module(trace))


Make = Callable[[int], bytes]

FORGED: dict[str, Make] = {  # how long they are may be chosen, up to 256 kB
    "warnings": lambda count: cell(warnings=[plain(NotedWarning(text="cpu"))] * count),
    "one warning": lambda count: cell(warnings=[plain(NotedWarning(text="cpu " * count))]),
    "a message": lambda count: cell(error_type="E", message="cpu " * count),
    "new lines": lambda count: cell(error_type="E", message="\n" * count),
    "a value": lambda count: cell(value="<" * count),
    "colours": lambda count: cell(value="\x1b[0" * count),
    "modules": lambda count: seen(*[module()] * count),
    "parameters": lambda count: seen(module(parameters=[plain(PARAMETER)] * count)),
    "a parameter": lambda count: seen(module(parameters=[plain(PARAMETER, name="cpu " * count)])),
    "calls": lambda count: traced(rows=[plain(ROW)] * count),
    "dots": lambda count: traced(rows=[plain(ROW, path="." * count)]),
    "sizes": lambda count: traced(rows=[plain(ROW, output=[1] * count)]),
    "groups": lambda count: traced(rows=[plain(ROW, output=plain(PAIR, items=[[]] * count))]),
    "ties": lambda count: traced(tie_groups=[plain(TIE)] * count),
    "names of a tie": lambda count: traced(tie_groups=[plain(TIE, paths=["cpu"] * count)]),
    "uncalled": lambda count: traced(uncalled=[""] * count),
    "lists": lambda count: b'{"value":[%s]}' % b",".join([b"[" * 18 + b"]" * 18] * count),
    "objects": lambda count: b'{"value":[%s]}' % b",".join([DEEP_OBJECT] * count),
}
MAX_HONEST: dict[str, Make] = {  # what the records let pass, and no more
    "warnings": lambda _: cell(warnings=[plain(NotedWarning(text="cpu " * 6_000))] * 10),
    "modules": lambda _: seen(
        *[module({"rows": [plain(ROW, path="." * 250)] * 60}, parameters=[plain(PARAMETER)] * 48)]
        * 6
    ),
}
WORST_ANSWERS = FORGED | {f"most {title}": made for title, made in MAX_HONEST.items()}


def longest(make: Make) -> bytes:
    """The longest of these that a child may send."""
    shorter, longer = len(make(100)), len(make(200))
    more = LIMITS.result_bytes - longer
    text = make(200 + more * 100 // (longer - shorter)) if longer > shorter else make(0)
    assert len(text) <= LIMITS.result_bytes
    assert longer == shorter or len(text) > 0.9 * LIMITS.result_bytes
    return text


_CHANCE = random.Random(1)


def word(letters: int) -> str:
    return "".join(_CHANCE.choices(string.ascii_lowercase, k=letters))


def lines(form: str, letters: int) -> str:
    """As many lines as a cell holds, each with a word that nobody knows."""
    return "\n".join(form.format(word(letters)) for _ in range(8_000 // (len(form) + letters - 1)))


WORST_CELLS = {  # of everything as much as 8,000 characters hold
    "unknown attributes": lines("x.{}", 6),
    "unknown members": lines("torch.{}", 6),
    "unknown layers": "from torch import nn\n" + lines("nn.{}", 6),
    "unknown imports": lines("import {}", 5),
    "unknown names from torch": lines("from torch import {}", 5),
    "many unknown names from torch": f"from torch import {', '.join(map(word, [5] * 1_100))}",
    "unknown keywords": lines("torch.ones({}=1)", 5),
    "unknown names": lines("{}", 6),
    "decorators": "@a\n" * 2_000 + "def f(): pass",
    "globals": lines("global {}", 6),
    "a chain of attributes": "x" + ".b" * 3_900,
    "a chain of calls": "f" + "()" * 3_900,
    "brackets": "[" * 8_000,
    "brackets in turn": "[(" * 95 + ")]" * 95,
    "signs": "-" * 7_999 + "1",
    "sums": "1+" * 3_999 + "1",
    "comparisons": "1<" * 2_900 + "1",
    "lambdas": "lambda:" * 1_100 + "1",
    "blocks in blocks": "\n".join(" " * depth + "if 1:" for depth in range(98)),
    "texts": "'a'\n" * 2_000,
    "texts with values": "f'{x}'\n" * 1_100,
    "statements": "1;" * 3_999,
    "a long number": "9" * 8_000,
    "a long word": "a" * 7_998 + " a",
    "numbers": "\n".join("9" * 300 for _ in range(26)),
    "quotes": "'\"" * 4_000,
    "question marks": "a?" * 4_000,
    "one line of spaces": " " * 7_999 + "!",
    "letters of Chinese": "变量=1\n" * 1_600,
    "letters that turn": "\u202e" * 8_000,
    "new lines": "\n" * 8_000,
    "continued lines": "\\\n" * 4_000,
    "comprehensions": "[x " + "for x in x " * 700 + "]",
    "a dict": "{" + "1:1," * 1_999 + "}",
    "methods": "class A:\n" + lines(" def {}(self): pass", 6),
}
