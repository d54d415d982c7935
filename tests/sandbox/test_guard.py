"""Which attributes a cell may read of which object, when it runs."""

import re

import pytest

from playground.sandbox import facade
from playground.sandbox.check import check
from tests.sandbox.cells import execute, named_cells, run_cell

OWN = named_cells("""
# %% a private attribute, a method and a mangled name
class A:
    count = 2
    def __init__(self):
        self._x, self.__y = 3, 4
    def _add(self, n):
        self._x += n
    def total(self):
        self._add(1)
        return self._x + self.__y + A.count
A().total(), A()._x, A.count
# => (10, 3, 2)
# %% a child, a parameter and a buffer
from collections import OrderedDict
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(1, 2)
        self._fc2 = nn.Linear(2, 3)
        self.own = nn.Parameter(torch.ones(1))
        self.register_buffer("kept", torch.zeros(2))
    def size(self):
        return self._fc2.out_features, self.own.numel(), self.kept.numel()
net = nn.Sequential(OrderedDict([("fc1", Net())]))
net.fc1.size(), net.fc1.fc1.out_features, net.fc1._fc2.in_features
# => ((3, 1, 2), 2, 2)
# %% what was stored on objects of torch and on functions
def f():
    f.calls += 1
f.calls = 0
f()
w = nn.Parameter(torch.ones(1))
w.is_shared = True
layer = nn.Linear(1, 1)
layer.colour = "red"
optimizer = torch.optim.SGD([w], lr=1)
optimizer.colour = "blue"
f.calls, w.is_shared, layer.colour, optimizer.colour
# => (1, True, 'red', 'blue')
# %% what the forward of a function keeps for its backward
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None
x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3).sum().backward()
x.grad
# => tensor([3., 3.])
# %% records, enumerations and errors
import enum
from collections import namedtuple
from dataclasses import dataclass
Point = namedtuple("Point", "abscissa ordinate")
Colour = enum.Enum("Colour", "RED GREEN")
class Shape(enum.Enum):
    ROUND = 1
    def twice(self):
        return 2 * self.value
@dataclass(frozen=True)
class Config:
    lr: float = 0.5
    def half(self):
        return self.lr / 2
class OwnError(ValueError):
    def __init__(self, code):
        super().__init__("own")
        self.code = code
try:
    raise OwnError(7)
except OwnError as error:
    code = error.code
class K:
    RED = 0
Point(1, 2).ordinate, Colour.RED.name, Shape.ROUND.twice(), Config().half(), code
# => (2, 'RED', 2, 0.25, 7)
# %% a method of the base
from torch.optim.lr_scheduler import StepLR
class Double(nn.Linear):
    def forward(self, x):
        return 2 * nn.Linear.forward(self, x)
class Half(StepLR):
    def get_lr(self):
        return [each / 2 for each in super().get_lr()]
layer = Double(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
Half(optimizer, 5).get_last_lr(), layer.__class__.__name__, torch.Tensor.sum(torch.ones(2))
# => ([0.5], 'Double', tensor(2.))
# %% a property that hides a method of the base
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.compile = 3
    @property
    def size(self):
        return self.compile
net = Net()
net.size, hasattr(net, "size"), getattr(net, "bias", None)
# => (3, True, None)
# %% a decorator
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
# => (12, 'area', 'An area.', 102334155)
# %% files
import os
PATH = "net.pt"
torch.save(torch.ones(2), PATH)
for epoch in range(2):
    torch.save(epoch, f"net-{epoch}.pt")
os.makedirs("ckpt", exist_ok=True)
best = os.path.join("ckpt", "best.pt")
torch.save(torch.zeros(1), best)
torch.load(PATH), torch.load("net-1.pt"), torch.load(best), os.path.exists(best)
# => (tensor([1., 1.]), 1, tensor([0.]), True)
# %% types in a text
f'{type(3)} {type([])}'
# => "<class 'int'> <class 'list'>"
""")


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
    ("call", "told"),
    [
        ("nn.Linear.state_dict(1)", NO_MODULE),
        ("L = nn.Linear\nsuper(L, L).state_dict(1)", NO_MODULE),
        (
            "from torch.distributions import Independent\nIndependent[int].sample(1)",
            "Independent.sample is for a 'Independent'",
        ),
    ],
)
def test_a_method_of_a_real_class_is_for_its_objects(call, told):
    with pytest.raises(TypeError, match=re.escape(told)):
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
