"""Which attributes a cell may read of which object, when it runs."""

import re

import pytest

from playground.sandbox import facade
from playground.sandbox.check import check
from tests.sandbox.cells import execute, read_cells, run_cell

OWN = read_cells("own_names")


@pytest.mark.parametrize("name", OWN)
def test_a_cell_reads_what_it_has_made(name):
    source, _, shown = OWN[name].strip().rpartition("\n# => ")

    answer, _ = run_cell(source, names=facade.bind())

    assert [str(each) for each in check(source)] == []
    assert (answer.message, answer.value) == ("", shown)


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("func", "functools.partial(int).func"),
        ("obj", "error.obj"),
        ("gi_yieldfrom", "numbers().gi_yieldfrom"),
        ("_missing_", "Kind._missing_"),
        ("_make", "nn.Linear._make"),
        ("check_hidden_size", "nn.LSTM(1, 1).check_hidden_size"),
        ("_in_use", "layer._in_use"),
    ],
)
def test_a_name_that_a_cell_has_made_opens_no_other_object(name, expression):
    source = f"""
import enum
import functools
from torch import nn
class K:
    def {name}(self):
        pass
class Kind(enum.Enum):
    pass
def numbers():
    for each in [1]:
        yield each
layer = nn.Linear(1, 1)
layer._in_use = 1
try:
    int("x")
except ValueError as error:
    {expression}
"""
    with pytest.raises(AttributeError):
        execute(source)


NO_MODULE = "Module.state_dict is for a 'Module', not a 'int'"


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        ("nn.Linear.state_dict(1)", NO_MODULE),
        ("L = nn.Linear\nsuper(L, L).state_dict(1)", NO_MODULE),
        (
            "from torch.distributions import Independent\nIndependent[int].sample(1)",
            "Independent.sample is for a 'Independent'",
        ),
    ],
)
def test_a_method_of_a_real_class_is_for_its_objects(call, reported):
    with pytest.raises(TypeError, match=re.escape(reported)):
        execute(call)


@pytest.mark.parametrize("wrap", ["torch.vmap", "functools.cache"])
def test_a_function_that_wraps_a_class_has_no_method_of_it(wrap):
    with pytest.raises(AttributeError, match="does not offer 'state_dict'"):
        execute(
            "import functools\nimport torch\nfrom torch.optim.lr_scheduler import LRScheduler\n"
            f"{wrap}(LRScheduler).state_dict"
        )


def test_the_line_of_an_error_in_a_chain_is_that_of_the_name():
    answer, _ = run_cell("x = (torch.ones(2)\n     .sum()\n     .nothing)", names=facade.bind())

    assert (answer.error_type, answer.line) == ("AttributeError", 3)
