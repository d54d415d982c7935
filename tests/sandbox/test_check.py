"""What the check refuses, where it says it is, and what it says."""

import difflib
import string
from pathlib import Path

import pytest

from playground.sandbox import report
from playground.sandbox.check import Violation, check
from playground.sandbox.check import violation as violation_module
from playground.sandbox.check.violation import sentences
from playground.sandbox.limits import LIMITS

LOADER = "from torch.utils.data import DataLoader"
BENCHMARK = "from torch.utils import benchmark"


def ids(source):
    return [violation.id for violation in check(source)]


@pytest.mark.parametrize(
    ("source", "line", "column", "id"),
    [
        ("import torch\ntorch.hub.load('x')", 2, 7, "not_offered"),
        ("x = 1\n\ny = x.__class__", 3, 7, "underscore"),
        ("print(1)\nfor print in [1]:\n    pass", 2, 5, "rebinds"),
        ("import torch\nimport sys", 2, 1, "import"),
        ("from d2l import torch as d2l", 1, 1, "import_elsewhere"),
        ("try:\n    1 / 0\nexcept:\n    pass", 3, 1, "bare_except"),
        ("x = (\n    eval\n)", 2, 5, "code_from_text"),
        (f"{LOADER}\nDataLoader([1], num_workers=2)", 2, 29, "one_process"),
        (f"{LOADER}\nDataLoader([1], num_workers=1)", 2, 29, "one_process"),
        (f"{BENCHMARK}\nbenchmark.Timer('1', language='c++')", 2, 1, "one_process"),
        ("x = 1\nprint（x）", 2, 6, "full_width"),
        ("x = [1，2]", 1, 7, "full_width"),
        ("if x：\n    pass", 1, 5, "full_width"),
        ("print(“a”)", 1, 7, "full_width"),
        ("x ＝ １", 1, 3, "full_width"),
        ("x = 1\u00a0+ 2", 1, 6, "invisible"),
        ("\u200bx = 1", 1, 1, "invisible"),
        ("x = 1 № 2", 1, 7, "character"),
        ("привет мир", 1, 1, "alphabet"),
        ("тorch = 1\nтorch", 1, 1, "alphabet"),
        ("x = 1\ny = \0", 2, 5, "binary"),
        ("\x7fELF\x02\x01", 1, 1, "binary"),
        ("x = '\ud800'", 1, 6, "binary"),
        ("(" * 300, 1, 201, "too_nested"),
        ("-" * 7_990 + "1", 1, 1, "too_nested"),
        ("a" * 1_000_000, 1, 1, "too_long"),
        ("x = 1\n" * 1_300, 1, 1, "too_much"),
        ("%matplotlib inline", 1, 1, "notebook"),
        ("!pip install torch", 1, 1, "notebook"),
        (">>> x = 1", 1, 1, "prompt"),
        ("for i in range(3)\n    print(i)", 1, 18, "syntax_colon"),
        ("if True:\nprint(1)", 2, 1, "syntax_indent_missing"),
        ("x = 1\n  y = 2", 2, 2, "syntax_indent_unexpected"),
        ("if True:\n        x = 1\n    y = 2", 3, 10, "syntax_indent_odd"),
        ("if True:\n\tx = 1\n        y = 2", 3, 1, "syntax_indent_tabs"),
        ("x = (1,", 1, 5, "syntax_unclosed"),
        ("x = (1]", 1, 7, "syntax_mismatch"),
        ("x = 1)", 1, 6, "syntax_unmatched"),
        ("x = 'abc", 1, 5, "syntax_quote"),
        ("print 1", 1, 1, "syntax_print"),
        ("if x = 1:\n    pass", 1, 4, "syntax_equals"),
        ("1 = x", 1, 1, "syntax_assign"),
        ("x = [1 2]", 1, 6, "syntax_comma"),
        ("f(a=1, 2)", 1, 9, "syntax_order"),
        ("return 1", 1, 1, "syntax_return"),
        ("break", 1, 1, "syntax_loop"),
        ("the network does not train", 1, 5, "syntax"),
    ],
)
def test_one_finding_points_at_what_it_is_about(source, line, column, id):
    (violation,) = check(source)

    assert (violation.line, violation.column, violation.id) == (line, column, id)
    assert violation.sentence("zh") != violation.sentence("en")


def test_findings_come_in_the_order_of_lines_and_are_bounded():
    violations = check("\n".join(f"open('{number}')" for number in range(50)))

    assert [violation.line for violation in violations] == list(range(1, 21))


def test_a_chain_too_long_for_a_tree_is_one_finding():
    (violation,) = check("x" + ".T" * 3_900)

    assert (violation.line, violation.column) == (1, 1)
    assert violation.id in {"too_nested", "too_much"}  # a newer Python can parse it, and counts


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("print（1)", {"given": "（", "plain": "("}),
        (
            "import torch\nfrom torch import nn\nnn.Liner(2, 1)",
            {"name": "nn.Liner", "meant": "Linear"},
        ),
        ("import torch\ntorch.ones(2).reshpe(1, 2)", {"name": "reshpe", "meant": "reshape"}),
    ],
)
def test_a_finding_says_what_was_meant(source, values):
    (violation,) = check(source)

    assert dict(violation.values) == values


DIGITS = str(LIMITS.integer_literal)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", []),
        ("\n\n", []),
        ("# nothing", []),
        ("   \n", []),
        ("print('（，：“')  # 注释：（）", []),
        ("import torch\ntorch.os.environ.get('HOME').upper()", ["not_offered"]),
        (
            "import sys\nimport abc\nclass A(abc.ABC):\n    B = 1\nprint(sys.version)",
            ["import"] * 2,
        ),
        # the limits are those of the sandbox; the size of a tensor is torch's to refuse
        (f"x = {DIGITS}", []),
        (f"x = {DIGITS}0", ["integer"]),
        ("import torch\ntorch.zeros(65536000000)", []),
        (f"x = '{'a' * LIMITS.string_literal}'", []),
        (f"x = '{'a' * (LIMITS.string_literal + 1)}'", ["string"]),
        ("#" * LIMITS.source_characters, []),
        ("#" * (LIMITS.source_characters + 1), ["too_long"]),
        # what a cell names itself can be asked for, and names that nobody imports are free
        ("class A:\n    def colour(self):\n        return 1\nA().colour()", []),
        ("x = 1\nx.colour", ["attribute"]),
        ("copy = 1\nprint(copy)", []),
        ("import copy\ncopy = 1", ["rebinds_module"]),
        ("torch = 1", ["rebinds_module"]),
    ],
)
def test_the_findings_are_exactly_these(source, found):
    assert ids(source) == found


@pytest.mark.parametrize(
    ("names", "searches"),
    [
        ([f"unknown{number}" for number in range(500)], 20),
        (["reshpe"] * 500, 1),
        (["reshpe", "unknown"] * 250, 2),
    ],
)
def test_a_meant_name_is_looked_for_once_and_only_for_violations_that_are_shown(
    monkeypatch, names, searches
):
    asked = []
    find = difflib.get_close_matches
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda *a, **k: asked.append(a) or find(*a, **k)
    )

    violations = check("\n".join(f"x.{name}" for name in names))

    assert len(violations) == 20
    assert len(asked) == searches


@pytest.mark.parametrize(
    ("source", "id"),
    [
        ("import os\nclass A:\n    def f(self):\n        self._outer = 1", "underscore"),
        ("x = 1\nd = {'_C': 1}\nx._C", "underscore"),
        ("x = 1\nx._base = 2", "underscore"),
        ("class A:\n    def f(self, y):\n        y._base = 1\nx = A()\nx._base", "underscore"),
        ("class A:\n    def _apply(self):\n        pass", "underscore"),
        ("class A:\n    def f(self):\n        self.__class__ = 1", "underscore"),
        ("import torch\np = '/etc/passwd'\ntorch.load(p)", "file_in_memory"),
        ("import torch\np = 'x'\np = '../x'\ntorch.save(1, p)", "file_in_memory"),
        ("import torch\nr = '/etc'\ntorch.save(1, f'/{r}/x')", "file_in_memory"),
        ("import os\nos.path.join('..', 'x')", "file_in_memory"),
        ("@print\ndef f():\n    pass", "decorator"),
        ("import numpy as np\nnp.ndarray((2, 3))", "uninitialised"),
        ("torch.ones?", "notebook"),
        ("import warnings\nwarnings.sys", "not_offered"),
        ("import warnings\nwarnings.showwarning = print", "stores_in_module"),
        ("import warnings\nwith warnings.catch_warnings() as w:\n    pass", "with_as"),
        ("import enum\nenum.sys", "not_offered"),
        ("import enum\nclass A(enum.Enum):\n    B = 1\nA.B._value_", "underscore"),
        ("import enum\nclass A(enum.Enum):\n    B = 1\nA.__members__", "underscore"),
        ("import enum\nclass A(enum.EnumType):\n    B = 1", "base"),
        ("import enum\nclass A(enum.Enum, metaclass=enum.auto):\n    B = 1", "metaclass"),
        (
            "import enum\nclass A(enum.Enum):\n    def __reduce__(self):\n        pass",
            "special_method",
        ),
        ("from collections import namedtuple\nP = namedtuple('P', '_x')\nP(1)._x", "underscore"),
        ("from collections import namedtuple\nnamedtuple('P', 'x').__new__", "underscore"),
        (
            "from collections import namedtuple\nP = namedtuple('P', '__class__')\nP.__class__",
            "underscore",
        ),
        ("import torch\ntorch.IntTensor._real", "underscore"),
    ],
)
def test_what_only_looks_like_a_habit_of_students_is_refused(source, id):
    assert id in ids(source)


def test_a_sentence_is_short_whatever_the_cell_says():
    (violation,) = check("import " + "a" * 5_000)

    assert len(violation.sentence()) < 300


@pytest.mark.parametrize("texts", [*sentences().values(), *report.sentences().values()])
def test_each_sentence_stands_in_both_languages(texts):
    english, chinese = texts["en"], texts["zh"]
    assert len(texts) == 2

    fields = [{name for _, name, _, _ in string.Formatter().parse(t)} for t in (english, chinese)]
    spans = [sorted(t.split("`")[1::2]) for t in (english, chinese)]
    assert fields[0] == fields[1]
    assert set(spans[0]) == set(spans[1])
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
    assert not any(sign in english + chinese.replace("`!", "") for sign in "!！")


def test_each_sentence_is_said_somewhere():
    folder = Path(violation_module.__file__).parent

    code = "".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    assert [id for id in sentences() if f'"{id}"' not in code] == []


def test_a_finding_keeps_its_values_out_of_its_id():
    violation = Violation("import", 2, 1, {"name": "sys"})

    assert str(violation).startswith("Line 2: `sys` cannot be imported here.")
