import traceback

import pytest
import torch

from playground.machines import Machine
from playground.sandbox.jail.answer import StoppedBecause
from playground.sandbox.limits import LIMITS
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


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 1", "2"),
        ("x = 1", None),
        ("x = 1\nx\n", "1"),
        ("None", None),
        ("'two'", "'two'"),
        ("x = 2\nx;", None),
        ("x = '字;'; x", "'字;'"),
        ("for i in range(3):\n    i", None),
        ("", None),
        ("# nothing", None),
        ("print('a')", None),
        ("(1,\n 2)  # both", "(1, 2)"),
    ],
)
def test_the_last_expression_is_shown_as_in_a_notebook(source, value):
    answer, _ = run_cell(source)

    assert answer.error_type == ""
    assert answer.value == value


@pytest.mark.parametrize("expression", ["torch.rand(2, 3)", "nn.Linear(2, 3)", "torch.float64"])
def test_a_value_of_torch_has_torchs_own_text(expression):
    imports = "import torch\nfrom torch import nn\n"
    with torch.random.fork_rng():
        torch.manual_seed(0)
        expected = repr(eval(expression, {"torch": torch, "nn": torch.nn}))

    answer, _ = run_cell(imports + expression)

    assert answer.value == expected


def test_a_long_list_is_cut_and_its_length_told():
    answer, _ = run_cell("list(range(5000))")

    assert answer.value.startswith("[0, 1, 2, ")
    assert answer.value.endswith("998, 999, …]")
    assert answer.value_total == 5000


def test_of_a_large_tensor_the_edges_are_shown():
    answer, _ = run_cell("import torch\ntorch.zeros(200, 50)")

    assert answer.value == repr(torch.zeros(200, 50))
    assert answer.value_total == 10_000


def test_what_is_printed_comes_in_order():
    _, output = run_cell("print('one', 2, sep='-')\nprint('three', end='')\n4")

    assert output == "one-2\nthree"


def test_endless_printing_ends_at_the_limit():
    answer, output = run_cell("n = 0\nwhile True:\n    print('字')")

    assert answer.stopped_because is StoppedBecause.OUTPUT
    assert len(output.encode()) in range(LIMITS.output_bytes - 3, LIMITS.output_bytes + 1)
    assert answer.line == 3
    assert answer.error_type == ""


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


def test_a_key_error_says_the_key():
    answer, _ = run_cell("{}['a']")

    assert (answer.error_type, answer.message) == ("KeyError", "'a'")


@pytest.mark.parametrize(
    ("source", "line"), [("x = 1\nx = (", 2), ("def f(:\n    pass", 1), ("x = 1\n  y = 2", 2)]
)
def test_a_syntax_error_is_on_its_line(source, line):
    with pytest.raises(SyntaxError) as python:
        compile(source, "<cell>", "exec")

    answer, output = run_cell("print('before')\n" + source)

    assert answer.error_type == type(python.value).__name__
    assert answer.message == python.value.msg
    assert (answer.line, answer.top_line) == (line + 1, line + 1)
    assert output == ""


@pytest.mark.parametrize(
    "source", ["(" * 300, "-" * 100_000 + "1", "x = \x00", "\ud800", "¿qué?", "\x89PNG\r\n\x1a\n"]
)
def test_what_is_not_python_is_a_syntax_error(source):
    answer, _ = run_cell(source)

    assert answer.error_type in {"SyntaxError", "UnicodeEncodeError"}
    assert answer.stopped_because is None


def test_code_in_another_alphabet_runs():
    answer, output = run_cell("学习率 = 0.5\nprint('学习率', 学习率)\n学习率 * 2")

    assert (answer.value, output) == ("1.0", "学习率 0.5\n")


def test_calls_in_calls_are_recognised():
    answer, _ = run_cell("def f(n):\n    return f(n + 1)\n\n\nf(0)")

    assert answer.error_type == "RecursionError"
    assert answer.is_recursion
    assert (answer.line, answer.top_line) == (2, 5)


@pytest.mark.parametrize(
    ("source", "needed"),
    [("import torch\ntorch.ones(10**15)", 4 * 10**15), ("raise MemoryError", 0)],
)
def test_memory_that_cannot_be_had_is_a_limit(source, needed):
    answer, _ = run_cell(source)

    assert answer.stopped_because is StoppedBecause.MEMORY
    assert answer.needed_bytes == needed


@pytest.mark.parametrize("raised", ["SystemExit(3)", "KeyboardInterrupt()", "GeneratorExit()"])
def test_what_is_no_exception_is_an_answer_too(raised):
    answer, _ = run_cell(f"raise {raised}")

    assert answer.error_type == raised.partition("(")[0]
    assert answer.line == 1


def test_an_error_while_the_value_is_written_is_the_cells():
    answer, _ = run_cell("class A:\n    def __repr__(self):\n        return 1 / 0\n\n\nA()")

    assert answer.error_type == "ZeroDivisionError"
    assert (answer.value, answer.line) == (None, 3)


def test_an_error_that_cannot_be_written_has_no_text():
    source = "class E(Exception):\n    def __str__(self):\n        return 1 / 0\n\n\nraise E"

    answer, _ = run_cell(source)

    assert (answer.error_type, answer.message, answer.line) == ("E", "", 6)


def test_warnings_are_collected_once_with_their_line():
    source = "import warnings\nfor _ in range(3):\n    warnings.warn('old', stacklevel=1)\n"

    answer, output = run_cell(source)

    assert [(each.text, each.line) for each in answer.warnings] == [("old", 3)]
    assert (answer.error_type, output) == ("", "")


def test_random_numbers_come_from_the_seed():
    source = "import random\nimport numpy as np\nimport torch\n"
    source += "(torch.rand(1), np.random.rand(), random.random())"

    first, second, other = (run_cell(source, seed=seed)[0].value for seed in (3, 3, 4))

    assert first == second
    assert first != other


def test_simulated_gpus_are_there():
    source = "import torch\nx = torch.ones(2, device='cuda:1')\n"
    source += "result = torch.cuda.device_count()\nx"

    answer, _ = run_cell(source, machine=Machine(gpus=3))

    assert answer.value == "tensor([1., 1.], device='cuda:1')"
    assert answer.result == "3"


def test_devices_apart_get_torchs_own_words():
    source = "import torch\ntorch.ones(2, device='cuda') + torch.ones(2)"

    answer, _ = run_cell(source, machine=Machine(gpus=1))

    assert answer.error_type == "RuntimeError"
    assert answer.message.startswith("Expected all tensors to be on the same device")
    assert answer.line == 2


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what a computer without GPUs says")
def test_without_gpus_torch_itself_refuses():
    with pytest.raises((AssertionError, RuntimeError)) as refused:
        torch.ones(1, device="cuda")

    answer, _ = run_cell("import torch\ntorch.ones(1, device='cuda')")

    assert answer.error_type == type(refused.value).__name__
    assert answer.message == str(refused.value)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("result = (1, [2.5, None], {'a': True})", "[1, [2.5, None], {'a': True}]"),
        ("import torch\nresult = torch.ones(2).cuda()", "tensor(float32, cuda:0, [1.0, 1.0])"),
        ("import torch\nresult = torch.Size([2, 3])", "[2, 3]"),
        ("import torch\nresult = torch.tensor(0.1)", "tensor(float32, cpu, 0.10000000149011612)"),
        ("import torch\nresult = str(torch.ones(1).device)", "'cpu'"),
        ("result = float('nan')", "nan"),
        ("result = list(range(10_000))", ""),
        ("other = 1", ""),
    ],
)
def test_what_is_bound_to_result_is_told_exactly(source, result):
    answer, _ = run_cell(source, machine=Machine(gpus=1))

    assert answer.result == result


def test_a_hostile_result_stays_within_bounds():
    source = "x = []\nfor _ in range(50):\n    x = [x, x]\nresult = x"

    answer, _ = run_cell(source)

    assert (answer.result, answer.error_type) == ("", "")


def test_nothing_of_the_server_is_in_an_error():
    answer, _ = run_cell("import torch\ntorch.linalg.qr(1)")

    assert answer.error_type == "TypeError"
    assert "playground" not in answer.message
    assert "site-packages" not in answer.message
