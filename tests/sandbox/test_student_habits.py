"""Habits of students that the check and the sandbox meet half-way, and where they stop."""

import pytest
import torch

from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import check
from playground.sandbox.facade import binding
from playground.sandbox.facade.tables import MODULES, PRIVATE, RESERVED
from playground.sandbox.module_report import GradientVerdict, Missing
from tests.sandbox.cells import run_cell

PRIVATE_STATE = """
class Counter:
    def __init__(self):
        self._count, self.__hidden = 0, 1

    def _add(self, n):
        self._count += n + self.__hidden

    def step(self):
        self._add(1)
        return self._count
counter = Counter()
counter.step(), counter._count
"""
OWN_DECORATOR = """
import functools

def twice(function):
    @functools.wraps(function)
    def inner(*args):
        \"\"\"Inner.\"\"\"
        return 2 * function(*args)
    return inner

@twice
def area(a, b):
    \"\"\"An area.\"\"\"
    return a * b

@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
area(2, 3), area.__name__, area.__doc__, fib(40)
"""
FILES = """
import os
import torch
PATH = "net.pt"
torch.save(torch.ones(2), PATH)
for epoch in range(2):
    torch.save(epoch, f"net-{epoch}.pt")
os.makedirs("ckpt", exist_ok=True)
best = os.path.join("ckpt", "best.pt")
torch.save(torch.zeros(1), best)
torch.load(PATH), torch.load("net-1.pt"), torch.load(best), os.path.exists(best)
"""


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (PRIVATE_STATE, "(2, 2)"),
        (OWN_DECORATOR, "(12, 'area', 'An area.', 102334155)"),
        (FILES, "(tensor([1., 1.]), 1, tensor([0.]), True)"),
        ("f'{type(3)} {type([])}'", "\"<class 'int'> <class 'list'>\""),
    ],
)
def test_a_habit_runs_as_it_would_in_a_notebook(source, shown):
    answer, _ = run_cell(source, names=facade.bind())

    assert [str(each) for each in check(source)] == []
    assert (answer.message, answer.value) == ("", shown)


@pytest.mark.parametrize(
    ("source", "id"),
    [
        (
            "import os\nclass A:\n    def f(self):\n        self._outer = 1",
            "",
        ),
        ("x = 1\nd = {'_C': 1}\nx._C", ""),
        ("x = 1\nx._base = 2", ""),
        ("class A:\n    def f(self, y):\n        y._base = 1\nx = A()\nx._base", ""),
        ("class A:\n    def _apply(self):\n        pass", ""),
        ("class A:\n    def f(self):\n        self.__class__ = 1", ""),
        ("import torch\np = '/etc/passwd'\ntorch.load(p)", "file_in_memory"),
        ("import torch\np = 'x'\np = '../x'\ntorch.save(1, p)", "file_in_memory"),
        ("import torch\nr = '/etc'\ntorch.save(1, f'/{r}/x')", "file_in_memory"),
        ("import os\nos.path.join('..', 'x')", "file_in_memory"),
        ("@print\ndef f():\n    pass", "decorator"),
        ("import torch\ntorch.IntTensor(2)", "uninitialised"),
        ("import numpy as np\nnp.ndarray((2, 3))", "uninitialised"),
        ("torch.ones?", "notebook"),
    ],
)
def test_what_only_looks_like_a_habit_is_refused(source, id):
    assert (id or "underscore") in [each.id for each in check(source)]


def test_a_refused_import_is_one_finding():
    source = "import sys\nimport enum\nclass A(enum.Enum):\n    B = 1\nprint(sys.version)"

    assert [each.id for each in check(source)] == ["import", "import"]


def test_the_private_attributes_of_modules_stay_torchs():
    own = {name for name in dir(torch.nn.Linear(2, 2)) if name[0] == "_" and name[1] != "_"}

    assert own <= RESERVED | PRIVATE


def test_members_that_were_looked_up_once_are_those_of_each_machine():
    binding.warm_up()
    for machine in (Machine(gpus=2), Machine(kind="real")):
        answer, _ = run_cell(
            "import torch\ntorch.cuda.device_count()", machine=machine, names=facade.bind()
        )
        expected = 2 if machine.gpus == 2 and machine.is_simulated else torch.cuda.device_count()
        assert answer.value == str(expected)
    assert {*binding.bind()["torch"].__dict__} >= MODULES["torch"].members - {"save", "load"}


FIXED = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = torch.rand(3, 3)
        self.listed = [nn.Linear(3, 3)]
        self.linear = nn.Linear(3, 3)

    def forward(self, X):
        return self.listed[0](self.linear(X) @ self.fixed)
net = Net()
net(torch.rand(2, 3))
many = nn.Sequential(*[nn.ReLU() for i in range(600)])
"""


def test_gradients_are_checked_beside_constants_and_layers_in_a_list():
    answer, _ = run_cell(FIXED)

    reports = {each.name: each for each in answer.modules}
    assert [row.verdict for row in reports["net"].parameters] == [GradientVerdict.MATCHES] * 2
    assert reports["many"].missing is Missing.TOO_LARGE


@pytest.mark.usefixtures("open_jail")
def test_a_tensor_of_a_size_is_zeros_in_the_jail():
    from playground import sandbox

    report = sandbox.run("import torch\ntorch.Tensor(2, 3), torch.Tensor([2, 3])")

    zeros = "tensor([[0., 0., 0.],\n        [0., 0., 0.]])"
    assert report.value == f"({zeros}, tensor([2., 3.]))"
