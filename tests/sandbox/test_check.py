"""What the check refuses, where it says it is, and what it says."""

import difflib
import string
from pathlib import Path

import pytest

from playground.sandbox.check import Violation, check
from playground.sandbox.check import violation as violation_module
from playground.sandbox.check.violation import sentences
from playground.sandbox.limits import LIMITS
from tests.sandbox.hostile_lines import LINES

LANGUAGES = ("en", "zh")


def ids(source):
    return [violation.id for violation in check(source)]


@pytest.mark.parametrize("source", LINES)
def test_a_hostile_line_is_refused_with_its_place(source):
    violations = check(source)

    assert violations
    for violation in violations:
        assert 1 <= violation.line <= source.count("\n") + 1
        assert 1 <= violation.column <= len(source.splitlines()[violation.line - 1]) + 1
        assert all(violation.sentence(language) for language in LANGUAGES)


def test_there_are_enough_hostile_lines():
    assert len(set(LINES)) >= 200


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
        (
            "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=2)",
            *(2, 29, "one_process"),
        ),
        (
            "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=1)",
            *(2, 29, "one_process"),
        ),
        (
            "from torch.utils import benchmark\nbenchmark.Timer('1', language='c++')",
            *(2, 1, "one_process"),
        ),
    ],
)
def test_a_finding_points_at_what_it_is_about(source, line, column, id):
    (violation,) = check(source)

    assert (violation.line, violation.column, violation.id) == (line, column, id)


def test_a_chain_of_dots_has_one_finding():
    assert ids("import torch\ntorch.os.environ.get('HOME').upper()") == ["not_offered"]


def test_findings_come_in_the_order_of_lines_and_are_bounded():
    violations = check("\n".join(f"open('{number}')" for number in range(50)))

    assert [violation.line for violation in violations] == list(range(1, 21))


@pytest.mark.parametrize(
    ("source", "line", "column", "id"),
    [
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
def test_what_is_no_python_is_one_finding_with_its_place(source, line, column, id):
    (violation,) = check(source)

    assert (violation.line, violation.column, violation.id) == (line, column, id)
    assert violation.sentence("zh") != violation.sentence("en")


def test_a_chain_too_long_for_a_tree_is_one_finding():
    (violation,) = check("x" + ".T" * 3_900)

    assert (violation.line, violation.column) == (1, 1)
    assert violation.id in {"too_nested", "too_much"}  # a newer Python can parse it, and counts


def test_full_width_signs_are_fine_in_texts_and_comments():
    assert check("print('（，：“')  # 注释：（）") == ()


def test_a_full_width_sign_is_told_with_the_plain_one():
    (violation,) = check("print（1)")

    assert dict(violation.values) == {"given": "（", "plain": "("}


@pytest.mark.parametrize("source", ["", "\n\n", "# nothing", "   \n"])
def test_an_empty_cell_is_fine(source):
    assert check(source) == ()


def test_the_limits_are_those_of_the_sandbox():
    digits = str(LIMITS.integer_literal)

    assert ids(f"x = {digits}") == []
    assert ids(f"x = {digits}0") == ["integer"]
    assert ids("import torch\ntorch.zeros(65536000000)") == []  # torch itself refuses it
    assert ids(f"x = '{'a' * LIMITS.string_literal}'") == []
    assert ids(f"x = '{'a' * (LIMITS.string_literal + 1)}'") == ["string"]
    assert ids("#" * LIMITS.source_characters) == []
    assert ids("#" * (LIMITS.source_characters + 1)) == ["too_long"]


def test_a_slip_of_the_pen_is_answered_with_the_right_word():
    (module,) = check("import torch\nfrom torch import nn\nnn.Liner(2, 1)")
    (method,) = check("import torch\ntorch.ones(2).reshpe(1, 2)")

    assert module.values["meant"] == "Linear"
    assert method.values["meant"] == "reshape"


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


def test_what_a_cell_names_itself_can_be_asked_for():
    assert ids("class A:\n    def colour(self):\n        return 1\nA().colour()") == []
    assert ids("x = 1\nx.colour") == ["attribute"]


def test_names_of_modules_that_nobody_imports_are_free():
    assert ids("copy = 1\nprint(copy)") == []
    assert ids("import copy\ncopy = 1") == ["rebinds_module"]
    assert ids("torch = 1") == ["rebinds_module"]


def test_a_sentence_is_short_whatever_the_cell_says():
    (violation,) = check("import " + "a" * 5_000)

    assert len(violation.sentence()) < 300


@pytest.mark.parametrize("id", sentences())
def test_each_sentence_stands_in_both_languages(id):
    english, chinese = (sentences()[id][language] for language in LANGUAGES)

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
