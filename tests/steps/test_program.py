import textwrap

import pytest
import torch

from playground.errors import NotSimulatedError
from playground.machines import Machine
from playground.machines.machine_context import running_on
from playground.steps import Run, run_program


def run(program: str) -> Run:
    return run_program(textwrap.dedent(program).strip())


def notes(ran: Run) -> dict[int, list[tuple[str, str, str, tuple[str, ...]]]]:
    return {
        line.number: [(each.name, each.kind, each.size, each.devices) for each in line.notes]
        for line in ran.lines
        if line.notes
    }


def test_a_line_notes_the_tensor_that_it_made_and_its_device():
    with running_on(Machine(gpus=2)):
        ran = run(
            """
            import torch
            x = torch.ones(2, 3, device="cuda:1")
            y = x.to("cpu", torch.int8)
            """
        )

    assert notes(ran) == {
        2: [("x", "float32", "(2, 3)", ("cuda:1",))],
        3: [("y", "int8", "(2, 3)", ("cpu",))],
    }
    assert ran.device_of("x") == "cuda:1" or not torch.cuda.is_available()


def test_a_module_is_noted_by_its_trainable_size_and_devices():
    ran = run(
        """
        from torch import nn
        net = nn.Linear(20, 10)
        net = nn.Sequential(net, nn.Tanh(), net)
        lazy = nn.LazyLinear(3)
        """
    )

    assert notes(ran)[2] == [("net", "Linear", "210", ("cpu",))]  # 20 x 10 weights, 10 biases
    assert notes(ran)[3] == [("net", "Sequential", "210", ("cpu",))]  # a tied layer counts once
    assert notes(ran)[4] == [("lazy", "LazyLinear", "0", ("cpu",))]


def test_plain_values_containers_arrays_and_tables_are_noted_at_their_last_line():
    ran = run(
        """
        import numpy as np, pandas as pd
        n, name = 3, "abc"
        layers = [
            1, 2, 3]
        a = np.zeros((2, 2))
        a[0, 0] = 1
        t = pd.DataFrame({"n": [1, 2, 3], "x": [0.5, 1, 2]})
        mean, missing = t.mean(), pd.NA
        """
    )

    assert notes(ran) == {
        2: [("n", "int", "3", ()), ("name", "str", "'abc'", ())],
        4: [("layers", "list", "3", ())],
        5: [("a", "ndarray float64", "(2, 2)", ())],
        6: [("a", "ndarray float64", "(2, 2)", ())],
        7: [("t", "DataFrame", "(3, 2)", ())],
        8: [("mean", "Series", "(2,)", ())],
    }


@pytest.mark.parametrize(
    ("program", "line", "stopped_at", "error"),
    [
        ("x = 1\ny = x / 0\nz = 2", 2, 2, "ZeroDivisionError: division by zero"),
        ("def f(x):\n    return 1 / x\n\nf(0)", 2, 4, "ZeroDivisionError: division by zero"),
        ("for i in (1, 0):\n    1 / i", 2, 1, "ZeroDivisionError: division by zero"),
        ("x = 1\nimport no_such_module", 2, 2, "ModuleNotFoundError: No module named"),
        ("import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)", 2, 2, "RuntimeError: mat1"),
        ("x = (", 1, 1, "SyntaxError: '(' was never closed"),
        ("x = 1\0", 1, 1, ""),
    ],
)
def test_the_line_that_failed_has_the_error(program, line, stopped_at, error):
    ran = run_program(program)

    [failed] = [each for each in ran.lines if each.error]
    assert (failed.number, ran.stopped_at) == (line, stopped_at)
    assert failed.error.startswith(error)
    assert not ran.outcome.ok
    assert "z" not in ran.names


def test_a_warning_belongs_to_its_line_and_is_not_written():
    ran = run("import warnings\nx = 1\nwarnings.warn('old')")
    assert [(line.number, line.warnings) for line in ran.lines if line.warnings] == [(3, ("old",))]


def test_what_is_not_simulated_is_no_outcome():
    with running_on(Machine()), pytest.raises(NotSimulatedError):
        run("import torch\ngraph = torch.cuda.CUDAGraph()")


def test_printing_without_end_is_bounded():
    ran = run("for i in range(100_000):\n    print('a' * 10)")
    assert len(ran.printed) == 20_000
