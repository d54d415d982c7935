import string
from pathlib import Path

import pytest

from playground.sandbox import report
from playground.sandbox.check import Level, check, translate
from playground.sandbox.check import program as program_module
from playground.sandbox.check.program import sentences
from playground.sandbox.limits import LIMITS

LOADER = "from torch.utils.data import DataLoader"
BENCHMARK = "from torch.utils import benchmark"
TUPLE = "from collections import namedtuple\n"
NOT_THERE = ["import_network", "import_elsewhere"]
ENUM = "import enum\nclass A(enum.Enum):\n    "


@pytest.mark.parametrize(
    ("source", "line", "column", "id"),
    [
        ("import torch\ntorch.hub.load('x')", 2, 7, "not_offered"),
        ("x = 1\n\ny = x.__bases__", 3, 7, "underscore"),
        ("print(1)\nfor print in [1]:\n    pass", 2, 5, "rebinds"),
        ("import torch\nimport ctypes", 2, 1, "import"),
        ("import urllib.request", 1, 1, "import_network"),
        ("import seaborn as sns", 1, 1, "import_elsewhere"),
        ("try:\n    1 / 0\nexcept:\n    pass", 3, 1, "bare_except"),
        ("x = (\n    eval\n)", 2, 5, "code_from_text"),
        (f"{LOADER}\nDataLoader([1], num_workers=2)", 2, 29, "loader_num_workers"),
        (f"{LOADER}\nDataLoader([1], pin_memory=True)", 2, 28, "loader_pin_memory"),
        (f"{BENCHMARK}\nbenchmark.Timer('1', language='c++')", 2, 1, "one_process"),
        ("x = 1\nprint（x）", 2, 6, "full_width"),
        ("print(“a”)", 1, 7, "full_width"),
        ("x ＝ １", 1, 3, "full_width"),
        ("x = 1\u00a0+ 2", 1, 6, "invisible"),
        ("\u200bx = 1", 1, 1, "invisible"),
        ("x = 1 № 2", 1, 7, "character"),
        ("привет мир", 1, 8, "syntax"),
        ("тorch = 1\nтorch", 1, 1, "alphabet"),
        ("x = 1\ny = \0", 2, 5, "binary"),
        ("\x7fELF\x02\x01", 1, 1, "binary"),
        ("x = '\ud800'", 1, 6, "binary"),
        ("(" * 300, 1, 201, "too_nested"),
        ("-" * 7_990 + "1", 1, 1, "too_nested"),
        ("a" * 1_000_000, 1, 1, "too_long"),
        ("x = 1\n" * 1_300, 1, 1, "too_much"),
        ("!rm -rf /", 1, 1, "notebook"),
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
    (finding,) = check(source)
    assert (finding.line, finding.column, finding.id) == (line, column, id)
    assert finding.sentence("zh") != finding.sentence("en")


def test_findings_come_in_the_order_of_lines_and_are_bounded():
    findings = check("\n".join(f"eval('{number}')" for number in range(50)))
    assert [each.line for each in findings] == list(range(1, 21))


def test_a_chain_too_long_for_a_tree_is_one_finding():
    (finding,) = check("x" + ".T" * 3_900)
    assert (finding.line, finding.column) == (1, 1)
    assert finding.id in {"too_nested", "too_much"}  # a newer Python can parse it, and counts


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("print（1)", {"given": "（", "plain": "("}),
        ("from torch import nn\nnn.Liner(2, 1)", {"name": "nn.Liner", "meant": "Linear"}),
        ("import torch\ntorch.ones(2).reshpe(1, 2)", {"name": "reshpe", "meant": "reshape"}),
    ],
)
def test_a_finding_says_what_was_meant(source, values):
    (finding,) = check(source)
    assert dict(finding.values) == values


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", []),
        ("   \n\n# nothing", []),
        ("print('（，：“')  # 注释：（）", []),
        ("import torch\ntorch.os.environ.get('HOME').upper()", ["not_offered"]),
        ("import socket, seaborn\nclass A(seaborn.B):\n    pass\nsocket.x", NOT_THERE),
        # the size of a tensor is torch's to refuse
        ("import torch\ntorch.zeros(65536000000)", []),
        ("#" * LIMITS.source_characters, []),
        ("#" * (LIMITS.source_characters + 1), ["too_long"]),
        # what a cell names itself can be asked for, and names that nobody imports are free
        ("class A:\n    def colour(self):\n        return 1\nA().colour()", []),
        ("x = 1\nx.qqflavour", ["attribute"]),
        ("copy = 1\nprint(copy)", []),
        ("import copy\ncopy = 1", ["rebinds_module"]),
        ("torch = 1", []),
        ("class A:\n    sum = 1\n    def max(self):\n        return self.sum", []),
        ("import zipfile\nzipfile.ZipFile", []),  # the facade is behind the name
        ("%timeit eval('x')", ["code_from_text", "magic_timeit"]),
    ],
)
def test_the_findings_are_exactly_these(source, found):
    assert [each.id for each in check(source)] == found


@pytest.mark.parametrize(
    ("source", "id"),
    [
        (
            "import os\nclass A:\n    def f(self):\n        self._outer = 1\nA()._outer",
            "underscore",
        ),
        ("x = 1\nd = {'_C': 1}\nx._C", "underscore"),
        ("class A:\n    def f(self):\n        self.__class__ = 1", "underscore"),
        ("import torch\ntorch.save(1, 'x/../y')", "file_in_memory"),
        ("import torch\nr = '/etc'\ntorch.save(1, f'/{r}/x')", "file_in_memory"),
        ("import os\nos.path.join('/', 'x')", "file_in_memory"),
        ("torch.ones!", "syntax"),
        ("import warnings\nwarnings.sys", "not_offered"),
        ("import warnings\nwarnings.showwarning = print", "stores_in_module"),
        ("import enum\nenum.sys", "not_offered"),
        (f"{ENUM}B = 1\nA.B._value_", "underscore"),
        (f"{ENUM}B = 1\nA.__members__", "underscore"),
        ("import enum\nclass A(enum.EnumType):\n    B = 1", "not_offered"),
        ("import enum\nclass A(enum.Enum, metaclass=enum.auto):\n    B = 1", "metaclass"),
        (f"{ENUM}def __reduce__(self):\n        pass", "special_method"),
        (f"{TUPLE}namedtuple('P', 'x').__new__", "underscore"),
        (f"{TUPLE}P = namedtuple('P', '__class__')\nP.__bases__", "underscore"),
        ("import torch\ntorch.IntTensor._real", "underscore"),
        ("class P:\n    pass\nmatch 1:\n    case P(__globals__=x):\n        pass", "underscore"),
        ("try:\n    import torch\nexcept ValueError:\n    pass\nimport socket", "import_network"),
        ("class A(type):\n    pass", "base"),
        ("import torch\nclass A(torch.Generator):\n    pass", "base"),
        ("x = 1\nx.__class__ = int", "underscore"),
        ("__builtins__ = {}", "underscore"),
        ("import torch\ntorch.backends.cudnn.flags = 1", "stores_in_module"),
    ],
)
def test_what_only_looks_like_a_habit_of_students_is_refused(source, id):
    assert id in [each.id for each in check(source) if each.level is Level.REFUSE]


def test_a_sentence_is_short_whatever_the_cell_says():
    (finding,) = check("import " + "a" * 5_000)
    assert len(finding.sentence()) < 300


@pytest.mark.parametrize("texts", [*sentences().values(), *report.sentences().values()])
def test_each_sentence_stands_in_both_languages(texts):
    english, chinese = texts["en"], texts["zh"]
    assert texts.keys() <= {"en", "zh", "level"}

    fields = [{name for _, name, _, _ in string.Formatter().parse(t)} for t in (english, chinese)]
    spans = [sorted(t.split("`")[1::2]) for t in (english, chinese)]
    assert fields[0] == fields[1]
    assert set(spans[0]) == set(spans[1])
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
    assert not any(sign in english + chinese.replace("`!", "") for sign in "!！")


def test_each_sentence_is_said_somewhere():
    folder = Path(program_module.__file__).parent
    code = "".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    assert [id for id in sentences() if f'"{id}"' not in code] == []


@pytest.mark.parametrize(
    ("source", "python", "id"),
    [
        ("%matplotlib inline", "pass", "magic_dropped"),
        ("%load_ext autoreload", "pass", "magic_dropped"),
        ("%%time", "pass", "magic_dropped"),
        ("    %config InlineBackend.figure_format = 'svg'", "    pass", "magic_dropped"),
        ("!nvidia-smi", "__nvidia_smi__()", "magic_nvidia_smi"),
        ("!pip install torch numpy==2.0", "pass", "magic_installed"),
        ("%pip install -U pandas", "pass", "magic_not_installed"),
        ("%timeit x @ x", "__timeit__(lambda: (x @ x))", "magic_timeit"),
        ("%timeit -n 10 -r 3 y = x @ x  # fast", "__timeit__(lambda: (x @ x))", "magic_timeit"),
        ("%time y = f(x)", "y = __time__(lambda: (f(x)))", "magic_time"),
        ("torch.ones?", "help(torch.ones)", "magic_help"),
        ("?torch.ones", "help(torch.ones)", "magic_help"),
    ],
)
def test_a_line_of_jupyter_becomes_a_line_of_python(source, python, id):
    before = "if True:\n" if source[0] == " " else "x = '''\n%matplotlib inline'''\n"
    translated = translate(f"{before}{source}\nz = 1 % 2")

    assert translated.source == f"{before}{python}\nz = 1 % 2"
    (finding,) = translated.findings
    assert (finding.id, finding.line) == (id, before.count("\n") + 1)
    assert finding.level is Level.HANDLED


@pytest.mark.parametrize(
    "source",
    ["!ls", "%%bash\nls", "%timeit import os", "%timeit 1); eval('x'", "%run x.py", "x = !ls"],
)
def test_another_line_of_jupyter_is_refused(source):
    assert translate(source).findings == ()
    assert Level.REFUSE in [each.level for each in check(source)]
