"""Habits of students that the check and the sandbox meet half-way, and where they stop."""

import pytest
import torch

from playground import sandbox
from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.check import check
from playground.sandbox.facade import binding
from playground.sandbox.facade.allowed_names import MODULES, PRIVATE, RESERVED
from playground.sandbox.module_report import GradientVerdict, Missing
from tests.sandbox.cells import run_cell, seen_modules

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
        ("from collections import namedtuple\nP = namedtuple('P', '__class__')\nP.__class__", ""),
        ("import torch\ntorch.IntTensor._real", "underscore"),
    ],
)
def test_what_only_looks_like_a_habit_is_refused(source, id):
    assert (id or "underscore") in [each.id for each in check(source)]


def test_a_refused_import_is_one_finding():
    source = "import sys\nimport abc\nclass A(abc.ABC):\n    B = 1\nprint(sys.version)"

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
    reports = {each.name: each for each in seen_modules(FIXED)}
    assert [row.verdict for row in reports["net"].parameters] == [GradientVerdict.MATCHES] * 2
    assert reports["many"].missing is Missing.TOO_LARGE


@pytest.mark.usefixtures("open_jail")
def test_a_tensor_of_a_size_is_zeros_in_the_jail():
    report = sandbox.run(f"import torch\n{DIRTY}torch.Tensor(2, 3), torch.Tensor([2, 3])")

    zeros = "tensor([[0., 0., 0.],\n        [0., 0., 0.]])"
    assert report.value == f"({zeros}, tensor([2., 3.]))"


DIRTY = "for _ in range(64):\n    torch.full((64,), 7.0)\n"  # memory that was in use before
LEGACY = f"""import torch
{DIRTY}n = 64
kinds = [torch.IntTensor, torch.FloatTensor, torch.LongTensor, torch.DoubleTensor]
print([bool(kind(n).any()) for kind in kinds], torch.IntTensor(n).dtype)
print(torch.FloatTensor([2, 3]), torch.FloatTensor(), torch.IntTensor)
print(isinstance(torch.ones(2), torch.FloatTensor), isinstance(torch.ones(2), torch.IntTensor))
print(torch.ones(2).type(torch.IntTensor).type())
torch.set_default_tensor_type(torch.DoubleTensor)
torch.ones(1).dtype"""


@pytest.mark.usefixtures("open_jail")
@pytest.mark.parametrize("gpus", [0, 2])
def test_a_tensor_of_a_legacy_type_is_zeros_where_it_is_given_a_size(gpus):
    report = sandbox.run(LEGACY, Machine(gpus=gpus))

    assert report.error_type == "", report.message
    assert report.value == "torch.float64"
    assert report.output.splitlines() == [
        "[False, False, False, False] torch.int32",
        "tensor([2., 3.]) tensor([]) <class 'torch.IntTensor'>",
        "True False",
        "torch.IntTensor",
    ]


@pytest.mark.usefixtures("open_jail")
@pytest.mark.parametrize("first", ["cpu", "meta"])
def test_a_module_that_is_made_empty_is_zeros(first):
    source = f"""import torch
from torch import nn
{DIRTY}net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)).to("{first}")
net = net.to_empty(device="cpu")
[float(each.sum()) for each in net.state_dict().values()], net[0].weight.requires_grad"""

    report = sandbox.run(source)

    assert report.value == f"({[0.0] * 7}, True)"


WIDER = {
    "a named tuple": (
        "from collections import namedtuple\n"
        "Point = namedtuple('Point', 'x, y')\nPair = namedtuple('Pair', ['left', 'right'])\n"
        "p = Point(1, y=2)\np.x + p.y, Pair(3, 4).right, p",
        "(3, 4, Point(x=1, y=2))",
    ),
    "an enum": (
        "from enum import Enum, auto, unique\nimport enum\n@unique\nclass Kind(Enum):\n"
        "    RELU = 'relu'\n    TANH = 'tanh'\nclass Level(enum.IntEnum):\n    LOW = auto()\n"
        "    HIGH = auto()\n"
        "Kind('tanh').name, Kind.RELU.value, [k.name for k in Kind], Level.HIGH + 1, Kind['RELU']",
        "('TANH', 'relu', ['RELU', 'TANH'], 3, <Kind.RELU: 'relu'>)",
    ),
    "warnings": (
        "import warnings\nwarnings.filterwarnings('ignore', category=FutureWarning)\n"
        "warnings.warn('old', FutureWarning)\n"
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n"
        "    warnings.warn('hushed')\nwarnings.warn('heard')\n1",
        "1",
    ),
    "distributions": (
        "import torch\nfrom torch.distributions import Normal\n"
        "d = torch.distributions.Categorical(torch.tensor([0.0, 1.0]))\n"
        "d.sample().item(), Normal(0.0, 1.0).log_prob(torch.tensor(0.0)).item() < 0",
        "(1, True)",
    ),
}


@pytest.mark.usefixtures("open_jail")
@pytest.mark.parametrize("name", WIDER)
def test_ordinary_python_is_taken(name):
    source, value = WIDER[name]

    report = sandbox.run(source)

    assert [str(each) for each in report.violations] == []
    assert (report.error_type, report.value) == ("", value)
    assert [each.text for each in report.warnings] == (["heard"] if name == "warnings" else [])
