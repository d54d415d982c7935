"""Programs that pass the check and were ways out of the facade, by what they are after."""

from tests.sandbox.cells import named_cells

NAMED = (  # the check takes these names for the program's own, if it has methods of them
    *("_archive", "_convert_", "_member_type_", "_module", "multiprocessing_context", "obj"),
    *("orthogonal_map", "parametrizations", "reducer"),
)
BEFORE = """import dataclasses
import enum
import functools
import warnings
import zipfile
import numpy as np
import torch
from torch import nn
from torch.distributions import Distribution
from torch.utils import benchmark
from torch.utils.data import DataLoader
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1)
class E(enum.Enum):
    A = 1
class Named:
"""
BEFORE += "".join(f"    def {each}(self):\n        pass\n" for each in NAMED)


def attacks(text):
    return {name: BEFORE + program for name, program in named_cells(text).items()}


# their loot is in ``found``
ATTACKS = attacks("""
# %% code in the setup of a timer
found = []
T = benchmark.Timer
T("1", setup="f(g.__globals__)", globals={"f": found.append, "g": nn.Linear.forward}).timeit(1)
# %% the torch that a timer adds
found = []
benchmark.Timer("f(torch)", globals={"f": found.append}).timeit(1)
# %% a method of a class in a timer
found = []
class K:
    is_dependent = False
    def check(self, value):
        found.append(value)
g = nn.Linear.forward
benchmark.Timer("put(0, L.forward)", globals={"put": found.insert, "L": nn.Linear}).timeit(1)
g = found.pop()
g.arg_constraints = {"__globals__": K()}
Distribution.__init__(g, validate_args=True)
# %% globals merged by wraps
def mine():
    pass
wraps = functools.wraps
wraps(nn.Linear.forward, assigned=(), updated=("__globals__",))(mine)
# %% an attribute copied by wraps
class K:
    pass
found = [K()]
wraps = functools.wraps
wraps(nn.Linear.forward, assigned=("__globals__",), updated=())(found[0])
# %% a type in a scheduler
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, [lambda epoch: 1])
def f():
    pass
kinds = [type(f)]
scheduler.lr_lambdas[0] = kinds[0]
found = scheduler.state_dict()["lr_lambdas"]
kinds = [type(found[0]["__globals__"])]
scheduler.lr_lambdas[0] = kinds[0]
get = scheduler.state_dict()["lr_lambdas"][0]["__get__"]
found = [get(found[0]["__globals__"], nn.Linear.forward)]
# %% a class in another scheduler
scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, [lambda epoch: 1])
scheduler.lr_lambdas[0] = int
found = scheduler.state_dict()["lr_lambdas"]
# %% a class in a cycle
C = torch.optim.lr_scheduler.CyclicLR
found = C(optimizer, 0, 1, scale_fn=int, cycle_momentum=False).state_dict()
# %% a scheduler's method for a class
S = torch.optim.lr_scheduler.StepLR
get = S.state_dict(E._member_type_)["__getattribute__"]
found = [get(torch.nn.Linear.forward, "__globals__")]
# %% the base's method by super
S = torch.optim.lr_scheduler.StepLR
take = super(S, S).state_dict
found = [take(E._member_type_)]
# %% a class in a transform
take = torch.vmap(torch.optim.lr_scheduler.LRScheduler).state_dict
found = [take(E._member_type_)]
# %% a class in a cache
take = functools.cache(torch.optim.lr_scheduler.LRScheduler).state_dict
found = [take(E._member_type_)]
# %% a constructor for a function
found = []
class K:
    is_dependent = False
    def check(self, value):
        found.append(value)
g = nn.Linear.forward
g.arg_constraints = {"__globals__": K()}
try:
    Distribution.__init__(g, validate_args=True)
except TypeError:
    pass
# %% the module in a context manager
w = warnings.catch_warnings()
found = [w._module]
# %% a module named by a text
found = []
try:
    torch.ones(2).untyped_storage().type("os")
except AttributeError as error:
    found.append(error.obj)
# %% a module named by a default type
found = []
try:
    torch.set_default_tensor_type("os.nothing")
except AttributeError as error:
    found.append(error.obj)
# %% members of a module as an enumeration
class E(enum.Enum):
    pass
found = [each.value for each in E._convert_("X", "os", lambda name: name == "getpid")]
# %% members of a module by an orthogonal map
layer = nn.Linear(2, 2)
nn.utils.parametrizations.orthogonal(layer, "weight", orthogonal_map="_convert_")
convert = layer.parametrizations["weight"][0].orthogonal_map
found = [each.value for each in convert("X", "os", lambda name: name == "getpid")]
# %% the modules of other processes
L = DataLoader
loader = L([1, 2], num_workers=1, multiprocessing_context="fork")
found = [loader.multiprocessing_context.reducer]
# %% the real archive
archive = zipfile.ZipFile("x.zip", "w")
found = [archive._archive]
# %% the type of types
found = [type(nn.Linear)]
""")

# without loot: they have to raise
REFUSED = attacks("""
# %% a clock of its own in a timer
T = benchmark.Timer
T("1", timer=lambda: 1.0)
# %% numbers as addresses of objects
N = np.ndarray
N((2,), "O", np.array([0, 0]))
# %% any memory as an array
net = nn.Linear(1, 1)
net._modules["__array_interface__"] = {
    "data": (4096, True), "shape": (0,), "typestr": "|u1", "version": 3
}
assert np.asarray(net).dtype == np.uint8
# %% special methods by an enumeration
enum.Enum("E", {"__getattr__": lambda self, name: name, "A": 1})
# %% code in the name of a field
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
class B:
    pass
scheduler.load_state_dict({"__mro__": (B, B), "__qualname__": "B", "__annotations__": {"a=max": B}})
dataclasses.dataclass(scheduler)
# %% an item as an attribute
nn.ParameterDict()["__class__"]
# %% an attribute as an item
items = nn.ParameterDict()
items["__reduce_ex__"] = int
# %% a text that says what it likes
class E(enum.StrEnum):
    A = "__dict__"
    def startswith(self, text):
        return False
getattr(nn, E.A)
# %% uninitialised memory
N = np.ndarray
assert any(N((1000,)).any() for _ in range(99))
# %% a path outside
import os
join = os.path.join
join("/etc", "passwd")
""")
