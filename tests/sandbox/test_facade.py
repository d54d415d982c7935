"""What a cell finds under the names of modules, and what it does not."""

import importlib

import numpy as np
import pytest
import torch

from playground.sandbox import facade
from playground.sandbox.cell.pyplot import Pyplot
from playground.sandbox.check import check
from playground.sandbox.facade.allowed_names import ATTRIBUTES, FUNCTIONS, IMPORTS, MODULES
from playground.sandbox.facade.binding import NOT_IMPORTED
from tests.sandbox.facade_cells import execute
from tests.sandbox.student_cells import CELLS

DANGEROUS = [
    "builtins",
    "code",
    "compile",
    "cpp_extension",
    "ctypes",
    "distributed",
    "from_file",
    "fromfile",
    "genfromtxt",
    "glob",
    "hub",
    "importlib",
    "inspect",
    "io",
    "jit",
    "library",
    "loads",
    "loadtxt",
    "memmap",
    "multiprocessing",
    "ops",
    "os",
    "package",
    "pathlib",
    "pickle",
    "save_gpu",
    "serialization",
    "shutil",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.filterwarnings("ignore")
def test_a_student_s_cell_runs_on_the_facade_to_its_end(name, capsys):
    execute(CELLS[name])

    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in MODULES if name not in NOT_IMPORTED])
def test_everything_in_the_tables_exists(name):
    real = importlib.import_module(name)

    assert [each for each in MODULES[name].members if not hasattr(real, each)] == []


def test_a_module_offers_what_its_table_lists_and_nothing_else():
    torch_ = facade.bind()["torch"]

    listed = MODULES["torch"].members | MODULES["torch"].parts | {"__version__"}
    assert set(vars(torch_)) == listed
    assert set(vars(torch_.nn.init)) == MODULES["torch.nn.init"].members


def test_no_module_offers_a_way_out():
    import_ = facade.bind(pyplot=Pyplot())["__builtins__"]["__import__"]
    modules = {name: import_(name) for name in MODULES}

    found = {
        name: [each for each in DANGEROUS if each in vars(module_in(modules, name))]
        for name in MODULES
    }

    assert {name: each for name, each in found.items() if each} == {}
    assert [each for each in DANGEROUS if each in ATTRIBUTES] == []
    assert not [each for each in ATTRIBUTES if each.startswith("_")]


def module_in(modules, name):
    found = modules[name]  # the package, as import statements have it
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("way", ["t = torch; t.os", "t = torch\nt.hub", "nn._C", "torch.nn.torch"])
def test_an_alias_leads_nowhere(way):
    with pytest.raises(AttributeError, match="the lab's module"):
        execute(way)


@pytest.mark.parametrize(
    "way", ["torch.randn = 1", "del torch.ones", "nn.Linear = None", "torch.x = 1"]
)
def test_a_module_cannot_be_changed(way):
    with pytest.raises(AttributeError, match="cannot be changed"):
        execute(way)


@pytest.mark.parametrize("name", ["open", "eval", "exec", "compile", "setattr", "input", "vars"])
def test_what_is_not_listed_is_no_name(name):
    with pytest.raises(NameError):
        execute(name)


@pytest.mark.parametrize(
    "line",
    [
        "import os.system",
        "import sys",
        "from torch import hub",
        "from torch import *",
        "import torch.hub",
        "from . import x",
    ],
)
def test_an_import_of_anything_else_is_refused(line):
    with pytest.raises((ImportError, KeyError)):
        execute(line)


@pytest.mark.parametrize("name", [name for name in IMPORTS if IMPORTS[name]])
def test_each_listed_import_passes_the_check_and_binds_the_vetted_module(name):
    alias = min(IMPORTS[name], key=len)
    line = f"import {name} as {alias}"
    uses = {"os": "os.environ", "shutil": "shutil.which('x')"}.get(name, "")
    if name != "subprocess":
        assert check(f"{line}\n{uses}") == ()

    assert repr(execute(line)[alias]) == f"<module {name!r}>"


def test_classes_are_the_real_ones():
    bound = execute(
        "from torch import nn, Tensor\nm = nn.Linear(1, 1)\nsame = type(m) == nn.Linear"
    )

    assert bound["same"]
    assert isinstance(bound["m"], torch.nn.Linear)
    assert bound["Tensor"] is torch.Tensor


def test_empty_gives_zeros():
    bound = execute(
        "import numpy as np\nx = torch.empty(9)\ny = np.empty((2, 3))\n"
        "z = torch.empty_like(torch.ones(4, dtype=torch.int8))"
    )

    assert not bound["x"].any()
    assert not bound["y"].any()
    assert not bound["z"].any()
    assert bound["z"].dtype == torch.int8


def test_empty_takes_what_torch_takes():
    bound = execute(
        "x = torch.empty((2, 3), dtype=torch.float64, requires_grad=True, device='meta')"
    )

    x = bound["x"]
    assert (x.shape, x.dtype, x.requires_grad, x.is_leaf) == ((2, 3), torch.float64, True, True)


def test_getattr_finds_what_could_stand_behind_a_dot():
    assert execute("x = getattr(nn.Linear(1, 1), 'none', 3)")["x"] == 3
    assert execute("x = getattr(torch.optim, 'SGD')")["x"] is torch.optim.SGD
    with pytest.raises(AttributeError, match="by name"):
        execute("getattr(1, '__class__')")
    with pytest.raises(AttributeError, match="by name"):
        execute("hasattr(1, '__class__')")


def test_type_makes_no_class():
    with pytest.raises(TypeError, match="class statement"):
        execute("type('X', (), {})")


def test_the_environment_is_the_cell_s_own(monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    bound = execute(
        "import os\nos.environ['CUDA_VISIBLE_DEVICE'] = '1'\n"
        "found = dict(os.environ)\nsecret = os.environ.get('SECRET')"
    )

    assert bound["found"] == {"CUDA_VISIBLE_DEVICE": "1"}
    assert bound["secret"] is None


def test_programs_are_not_there():
    bound = execute("import shutil\nimport subprocess\nfound = shutil.which('nvidia-smi')")

    assert bound["found"] is None
    with pytest.raises(FileNotFoundError, match="nvidia-smi"):
        execute("import subprocess\nsubprocess.run(['nvidia-smi'])")


def test_a_timer_runs_one_plain_expression():
    execute(
        "from torch.utils import benchmark\n"
        "t = benchmark.Timer('A @ A', globals={'A': torch.ones(2, 2)}).timeit(2).median"
    )
    with pytest.raises(ValueError, match="plain expression"):
        execute("from torch.utils import benchmark\nbenchmark.Timer('__import__(\"os\")')")


def test_a_run_has_one_thread():
    execute("torch.set_num_threads(1)")
    with pytest.raises(RuntimeError, match="one thread"):
        execute("torch.set_num_threads(4)")


def test_numpy_s_own_code_may_import_what_it_needs():
    assert "0." in repr(execute("import numpy as np\nx = str(np.zeros(2))")["x"])


def test_each_run_has_modules_of_its_own():
    one, two = facade.bind(), facade.bind()

    assert one["torch"] is not two["torch"]
    assert one["__builtins__"] is not two["__builtins__"]
    assert set(one["__builtins__"]) >= FUNCTIONS
    assert np.zeros(1).shape == (1,)
