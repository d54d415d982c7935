import pytest
import torch

from playground.machines import Machine
from playground.sandbox import facade
from playground.sandbox.allowed_names import (
    ATTRIBUTES,
    FUNCTIONS,
    MODULES,
    PRIVATE,
    RESERVED,
)
from playground.sandbox.cell import namespace
from playground.sandbox.check import check
from tests.sandbox.cells import execute, run_cell, warm_facade

DANGEROUS = (
    *("builtins", "code", "compile", "cpp_extension", "ctypes", "distributed", "from_file"),
    *("fromfile", "genfromtxt", "glob", "hub", "importlib", "inspect", "io", "jit", "library"),
    *("loads", "loadtxt", "memmap", "multiprocessing", "ops", "os", "package", "pathlib"),
    *("pickle", "save_gpu", "serialization", "shutil", "subprocess", "sys", "tempfile"),
    *("threading", "codecs"),
)
TIMER = "from torch.utils import benchmark\nx = benchmark.Timer"


def test_a_module_offers_what_its_table_lists_and_nothing_else():
    warm_facade()
    torch_ = facade.bind()["torch"]

    listed = MODULES["torch"].members | MODULES["torch"].parts | {"__version__"}
    assert set(vars(torch_)) == listed
    assert set(vars(torch_.nn.init)) == MODULES["torch.nn.init"].members


def test_no_module_offers_a_way_out():
    import_ = facade.bind()["__builtins__"]["__import__"]
    modules = {name: import_(name) for name in MODULES}
    offered = {f"{name}.{each}" for name in MODULES for each in vars(module_in(modules, name))}
    dangerous = {f"{name}.{each}" for name in MODULES for each in DANGEROUS}
    other_things = {"json.loads", "re.compile", "torch.compile"}
    ours = {"numpy.genfromtxt", "numpy.loadtxt"}  # of the files in the memory of the cell
    assert offered & dangerous == other_things | ours
    for each in ours:
        with pytest.raises(TypeError, match="plain name"):
            vars(module_in(modules, "numpy"))[each.partition(".")[2]]("/etc/passwd")
    assert ATTRIBUTES.isdisjoint(DANGEROUS)
    assert not [each for each in ATTRIBUTES if each.startswith("_")]


def module_in(modules, name):
    found = modules[name]  # the package, as import statements have it
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


ALIASES = ("t = torch; t.os", "t = torch\nt.hub", "nn._C", "torch.nn.torch")
CHANGES = ("torch.randn = 1", "del torch.ones", "nn.Linear = None", "torch.x = 1")
UNLISTED = ("eval", "exec", "compile", "memoryview", "BaseException")
NOT_OFFERED = ("import os.system", "import socket", "from torch import hub", "from sys import path")
NOT_OFFERED += ("import torch.hub", "from . import x")
NO_MODULE = "Module.state_dict is for a 'Module', not a 'int'"
INDEPENDENT = "from torch.distributions import Independent\nIndependent[int].sample(1)"
REFUSED = [
    *((each, AttributeError, "the lab's module") for each in ALIASES),
    *((each, AttributeError, "cannot be changed") for each in CHANGES),
    *((each, NameError, each) for each in UNLISTED),
    *((each, (ImportError, KeyError), None) for each in NOT_OFFERED),
    ("getattr(1, '__reduce__')", AttributeError, "does not offer"),
    ("setattr(nn.Linear, 'x', 1)", AttributeError, "does not set"),
    ("delattr(nn.Linear, 'forward')", AttributeError, "does not set"),
    ("vars(nn.Linear)", TypeError, "of this program"),
    ("help('os')", TypeError, "takes an object"),
    ("input()", EOFError, "nobody"),
    ("type('X', (), {})", TypeError, "class statement"),
    ("import subprocess\nsubprocess.run(['nvidia-smi'])", FileNotFoundError, "nvidia-smi"),
    (f"{TIMER}('__import__(\"os\")')", ValueError, "plain expression"),
    ("torch.set_num_threads(4)", RuntimeError, "one thread"),
    # a method of a real class is for its objects
    ("nn.Linear.state_dict(1)", TypeError, NO_MODULE),
    ("L = nn.Linear\nsuper(L, L).state_dict(1)", TypeError, NO_MODULE),
    (INDEPENDENT, TypeError, "Independent.sample is for a 'Independent'"),
]


@pytest.mark.parametrize(("program", "error", "reported"), REFUSED)
def test_what_leads_further_is_refused(program, error, reported):
    with pytest.raises(error, match=reported):
        execute(program)


BOUND = [
    ("x = type(nn.Linear(1, 1)) == nn.Linear", True),
    ("x = getattr(nn.Linear(1, 1), 'none', 3)", 3),
    ("x = getattr(torch.optim, 'SGD')", torch.optim.SGD),
    ("from torch import nn, Tensor\nx = Tensor, nn.Linear", (torch.Tensor, torch.nn.Linear)),
    ("import shutil\nx = shutil.which('nvidia-smi')", None),
    (f"{TIMER}('A @ A', globals={{'A': torch.ones(2, 2)}}).timeit(2).median > 0", True),
    ("x = torch.set_num_threads(1)", None),
    ("import numpy as np\nx = str(np.zeros(2))", "[0. 0.]"),  # its own code may import
]


@pytest.mark.parametrize(("program", "value"), BOUND)
def test_what_is_offered_works_as_outside(program, value):
    assert execute(program)["x"] == value


@pytest.mark.parametrize("name", MODULES)
def test_each_listed_module_is_imported_under_any_name_with_all_its_members(name):
    line = f"import {name} as other"
    module = execute(line)["other"]

    assert check(line) == ()
    assert repr(module) == f"<module {name!r}>"
    assert MODULES[name].members <= vars(module).keys()


def test_empty_gives_zeros_and_takes_what_torch_takes():
    bound = execute(
        "import numpy as np\nx, y = torch.empty(9), np.empty((2, 3))\n"
        "z = torch.empty_like(torch.ones(4, dtype=torch.int8))\n"
        "m = torch.empty((2, 3), dtype=torch.float64, requires_grad=True, device='meta')"
    )

    m = bound["m"]
    assert not any(bound[name].any() for name in "xyz")
    assert bound["z"].dtype == torch.int8
    assert (m.shape, m.dtype, m.requires_grad, m.is_leaf) == ((2, 3), torch.float64, True, True)


def test_the_environment_is_the_cell_s_own(monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    bound = execute("import os\nos.environ['CUDA_VISIBLE_DEVICE'] = '1'\nfound = dict(os.environ)")

    assert bound["found"] == {"CUDA_VISIBLE_DEVICE": "1"}


def test_the_private_attributes_of_modules_stay_torchs():
    own = {name for name in dir(torch.nn.Linear(2, 2)) if name[0] == "_" and name[1] != "_"}
    assert own <= RESERVED | PRIVATE


def test_members_that_were_looked_up_once_are_those_of_each_machine():
    warm_facade()
    for machine, count in ((Machine(gpus=2), 2), (Machine(kind="real"), torch.cuda.device_count())):
        answer, _ = run_cell("torch.cuda.device_count()", machine=machine, names=facade.bind())
        assert answer.value == str(count)


def test_each_cell_has_its_own_names_and_those_made_before_are_what_it_would_bind(monkeypatch):
    monkeypatch.setattr(namespace, "_ready", [])
    monkeypatch.setattr(namespace, "_taken", [])
    namespace.prepare(2)
    taken = [namespace.take() for _ in range(3)]  # one more than is ready
    names = [*(each.names for each in taken), facade.bind(), facade.bind()]
    ready, bound = names[0], names[-1]

    assert len({id(each["torch"]) for each in names}) == 5
    assert len({id(each["__builtins__"]) for each in names}) == 5
    assert len({id(each.files) for each in taken}) == 3
    assert ready.keys() == bound.keys()
    assert dir(ready["torch"]) == dir(bound["torch"])
    assert ready["__builtins__"].keys() == bound["__builtins__"].keys() >= FUNCTIONS


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
