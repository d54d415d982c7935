import traceback

import pytest
import torch

from playground.machines import Machine
from playground.sandbox.cell_answer import CellAnswer, NotedWarning
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.limits import LIMITS
from playground.steps import Line, Note, run_program
from tests.sandbox.cells import run_cell


def raised_by(source):
    """Type, text, and lines of the cell's own frames, by Python's own traceback."""
    try:
        exec(compile(source, "<cell>", "exec"), {"__name__": "__main__"})
    except Exception as error:  # noqa: BLE001 - whatever it is, is compared
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == "<cell>"]
        return type(error).__name__, str(error), lines
    raise AssertionError("the cell did not raise")


VALUES = {  # the last expression, as in a notebook
    "1 + 1": "2",
    "x = 1": None,
    "None": None,
    "'two'": "'two'",
    "x = 2\nx;": None,
    "x = '字;'; x": "'字;'",
    "for i in range(3):\n    i": None,
    "": None,
    "(1,\n 2)  # both": "(1, 2)",
}
RESULTS = {  # what is bound to ``result``, exactly
    "result = (1, [2.5, None], {'a': True})": "[1, [2.5, None], {'a': True}]",
    "import torch\nresult = torch.ones(2).cuda()": "tensor(float32, cuda:0, [1.0, 1.0])",
    "import torch\nresult = torch.Size([2, 3])": "[2, 3]",
    "import torch\nresult = torch.tensor(0.1)": "tensor(float32, cpu, 0.10000000149011612)",
    "import torch\nresult = str(torch.ones(1).device)": "'cpu'",
    "result = float('nan')": "nan",
    "result = list(range(10_000))": "",
    "other = 1": "",
    "x = []\nfor _ in range(50):\n    x = [x, x]\nresult = x": "",
}
TORCH = "import torch\n"
SEEDED = torch.Generator().manual_seed(0)
UNWRITTEN = "class A:\n    def __repr__(self):\n        return 1 / 0\n\n\nA()"
UNTOLD = "class E(Exception):\n    def __str__(self):\n        return 1 / 0\n\n\nraise E"
WARNING = "import warnings\nfor _ in range(3):\n    warnings.warn('old', stacklevel=1)\n"
NO_MEMORY = {"stopped_because": StoppedBecause.MEMORY}
ANSWERS = [
    *((source, {"value": value, "error_type": ""}) for source, value in VALUES.items()),
    *((source, {"result": result, "error_type": ""}) for source, result in RESULTS.items()),
    (f"{TORCH}torch.zeros(200, 50)", {"value": repr(torch.zeros(200, 50)), "value_total": 10_000}),
    (f"{TORCH}torch.rand(2)", {"value": repr(torch.rand(2, generator=SEEDED))}),
    (f"{TORCH}torch.nn.ReLU(), torch.float64", {"value": "(ReLU(), torch.float64)"}),
    ("list(range(5000))", {"value": f"[{str([*range(1000)])[1:-1]}, …]", "value_total": 5000}),
    ("x = 'ab' * 10_000_000", {"lines": (Line(1, (Note("x", "str", "'" + "ab" * 29 + "…"),)),)}),
    (
        "学习率 = 0.5\nprint('学习率', 学习率)\n学习率 * 2",
        {"value": "1.0", "printed": "学习率 0.5\n"},
    ),
    ("print('one', 2, sep='-')\nprint('three', end='')\n4", {"printed": "one-2\nthree"}),
    ("{}['a']", {"error_type": "KeyError", "message": "'a'"}),
    (
        "def f(n):\n    return f(n + 1)\n\n\nf(0)",
        {"error_type": "RecursionError", "is_recursion": True, "line": 2, "top_line": 5},
    ),
    (f"{TORCH}torch.ones(10**15)", {**NO_MEMORY, "needed_bytes": 4 * 10**15}),
    ("raise MemoryError", {**NO_MEMORY, "needed_bytes": 0}),
    ("raise SystemExit(3)", {"error_type": "SystemExit", "line": 1}),
    ("raise KeyboardInterrupt()", {"error_type": "KeyboardInterrupt", "line": 1}),
    ("raise GeneratorExit()", {"error_type": "GeneratorExit", "line": 1}),
    (UNWRITTEN, {"error_type": "ZeroDivisionError", "value": None, "line": 3}),
    (UNTOLD, {"error_type": "E", "message": "", "line": 6}),
    (WARNING, {"warnings": (NotedWarning(text="old", line=3),), "error_type": "", "printed": ""}),
    (
        f"{TORCH}result = torch.cuda.device_count()\ntorch.ones(2, device='cuda:1')",
        {"value": "tensor([1., 1.], device='cuda:1')", "result": "2"},
    ),
]


@pytest.mark.parametrize(("source", "expected"), ANSWERS)
def test_a_cell_is_answered(source, expected):
    answer, printed = run_cell(source, machine=Machine(gpus=2))
    for name, value in expected.items():
        assert (printed if name == "printed" else getattr(answer, name)) == value


@pytest.mark.parametrize(
    "source", ["(" * 300, "-" * 100_000 + "1", "x = \x00", "\ud800", "¿qué?", "\x89PNG\r\n\x1a\n"]
)
def test_what_is_not_python_is_a_syntax_error(source):
    answer, _ = run_cell(source)
    assert answer.error_type in {"SyntaxError", "UnicodeEncodeError"}
    assert answer.stopped_because is None


def test_endless_printing_ends_at_the_limit():
    answer, output = run_cell("n = 0\nwhile True:\n    print('字')")

    assert (answer.stopped_because, answer.error_type) == (StoppedBecause.OUTPUT, "")
    assert len(output.encode()) in range(LIMITS.output_bytes - 3, LIMITS.output_bytes + 1)
    assert answer.line == 3


@pytest.mark.parametrize(
    "source",
    [
        "1\n1 / 0",
        "import torch\n\ntorch.ones(2, 3) @ torch.ones(2, 3)",
        "def f(x):\n    return x.missing\n\n\nf(1)",
        "def g():\n    raise ValueError('two\\nlines')\n\n\ndef f():\n    g()\n\n\nf()",
        "from torch import nn\nnn.Linear(2, 3)(nn.Parameter(nn.Linear(5, 5).weight))",
        "[1, 2][\n    7\n]",
        "int('x')",
    ],
)
def test_an_error_has_its_own_words_and_the_students_lines(source):
    kind, text, lines = raised_by(source)
    answer, _ = run_cell(source)

    assert (answer.error_type, answer.message) == (kind, text)
    assert (answer.line, answer.top_line) == (lines[-1], lines[0])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        *(("x = 1\nx = (", 2), ("def f(:\n    pass", 1), ("x = 1\n  y = 2", 2)),
        *(("return 1", 1), ("break", 1), ("def f():\n    nonlocal q", 2)),  # pass the parser
    ],
)
def test_a_syntax_error_is_on_its_line_and_the_program_does_not_begin(source, line):
    with pytest.raises(SyntaxError) as python:
        compile(source, "<cell>", "exec")
    begun = f"print('begun')\n{source}"
    answer, printed = run_cell(begun)
    run = run_program(begun)

    assert answer.error_type == run.outcome.error_type == type(python.value).__name__
    assert answer.message == python.value.msg
    assert (answer.line, answer.top_line) == (line + 1, line + 1)
    assert (printed, answer.lines, run.printed) == ("", (), "")


def test_an_error_of_torch_has_its_words_and_nothing_of_the_server():
    apart, _ = run_cell(f"{TORCH}torch.ones(2).cuda() + torch.ones(2)", machine=Machine(gpus=1))
    typed, _ = run_cell(f"{TORCH}torch.linalg.qr(1)")

    assert (apart.error_type, apart.line) == ("RuntimeError", 2)
    assert apart.message.startswith("Expected all tensors to be on the same device")
    assert typed.error_type == "TypeError"
    assert "playground" not in typed.message
    assert "site-packages" not in typed.message


PROGRAM = """import torch
from torch import nn


def count(n):
    for i in range(n):
        print(i)
    return n


X = torch.ones(2, 3, dtype=torch.float64)
a, b = count(1), count(2)
net = nn.Linear(
    3,
    4,
)
for name in ("u", "v"):
    last = name
print("no", end=" "); print("end")
X.sum()
"""
LINES = (
    Line(7, printed="0\n0\n1\n"),
    Line(11, (Note("X", "float64", "(2, 3)", ("cpu",)),)),
    Line(12, (Note("a", "int", "1"), Note("b", "int", "2"))),
    Line(16, (Note("net", "Linear", "16", ("cpu",)),)),
    Line(18, (Note("last", "str", "'v'"),)),
    Line(19, printed="no end\n"),
)


def test_each_line_is_reported_with_what_it_bound_and_printed_by_a_cell_and_by_a_worker():
    answer, printed = run_cell(PROGRAM)
    worker = run_program(PROGRAM)
    assert answer.lines == LINES
    assert answer.value == "tensor(6., dtype=torch.float64)"
    assert printed == "0\n0\n1\nno end\n"
    assert tuple(line for line in worker.lines if line.notes or line.printed) == LINES


def test_what_ran_before_an_error_or_a_limit_is_reported():
    failed, _ = run_cell("x = 1\nprint(x)\ny = x / 0\nz = 3")
    assert failed.lines == (Line(1, (Note("x", "int", "1"),)), Line(2, printed="1\n"))
    assert (failed.error_type, failed.line) == ("ZeroDivisionError", 3)

    full, _ = run_cell(f"x = 1\nprint('x' * {LIMITS.output_bytes + 1})")
    assert full.stopped_because is StoppedBecause.OUTPUT
    assert full.lines[0] == Line(1, (Note("x", "int", "1"),))
    assert full.lines[1].printed == "x" * 20_000


@pytest.mark.parametrize(
    "hostile",
    [
        "x = 10 ** 5000",
        "class Odd(list):\n    def __len__(self):\n        raise ValueError\nx = Odd()",
        "class Odd(str):\n    def __getitem__(self, at):\n        raise KeyError\nx = Odd()",
        "class Odd(nn.Module):\n    def parameters(self):\n        raise OSError\nx = Odd()",
        "class Odd(torch.Tensor):\n    device = '<b>'\nx = torch.ones(2).as_subclass(Odd)",
        "x = 1\ndel x",
        "\n".join(f"x{n} = y{n} = {n}" for n in range(450)),
    ],
)
def test_a_value_that_cannot_be_noted_costs_no_answer(hostile):
    answer, _ = run_cell(f"import torch\nfrom torch import nn\n{hostile}\n7")

    assert (answer.error_type, answer.value) == ("", "7")
    assert len(answer.lines) <= CellAnswer.MAX_LINES
    assert all(len(note.size) <= 60 for line in answer.lines for note in line.notes)
