import os

import pytest

from playground import sandbox
from playground.lessons.tensors.out_of_memory import OutOfMemory
from playground.machines import Machine, MachineKind
from tests.fresh import run_fresh
from tests.sandbox.conftest import UNHURRIED

REAL = Machine(kind=MachineKind.REAL)
MACHINES = {"real": REAL, "simulated": Machine()}
HUGE = "import numpy as np\nx = torch.empty(3 * 2**30, dtype=torch.uint8{})\n"
USES = (
    *("x += 1", "x.sum()", "x.clone()", "x[0].item()", "x.view(2, -1)[1, 5:7].fill_(1)"),
    *("torch.add(x, 1, out=x)", "x.untyped_storage().fill_(1)", "x.untyped_storage()[0] = 1"),
    *("x.untyped_storage()[0]", "x.storage()[0]", "x.numpy()[0] = 1", "x[:3].tolist()"),
    *("copy.deepcopy(x)", "np.asarray(x)[0] = 1", "print(x[:3])", "torch.save(x, 'x.pt')"),
    *("torch.no_grad()(lambda: x.add_(1))()", "torch.inference_mode()(lambda: x.add_(1))()"),
)
GPU_USES = ("x += 1", "x.sum()", "x.cpu()", "x[0].item()", "x.untyped_storage().fill_(1)")
USED = [(name, "", use) for name in MACHINES for use in USES]
USED += [("simulated", ", device='cuda'", use) for use in GPU_USES]
pytestmark = pytest.mark.usefixtures("open_jail")


def ran(program, machine):
    """Return the outcome of a program that no check has read."""
    return sandbox.run(program, machine, limits=UNHURRIED, is_checked=False)


@pytest.mark.parametrize("name", MACHINES)
def test_the_lessons_program_fills_the_cpu_as_it_does_outside(name):
    program = f"{OutOfMemory(device='cpu').program()}\nprint(len(held))"
    report = sandbox.run(program, MACHINES[name])
    assert (report.error_type, report.stopped_because, report.output) == ("", None, "3\n")


def test_filling_the_memory_of_a_gpu_takes_none_of_the_runs():
    four, five = (OutOfMemory(piece_gib=2.0, pieces=count).program() for count in (4, 5))
    endless = "held = []\nwhile True:\n    held.append(torch.empty(2**28, device='cuda'))"
    report, refused = sandbox.run(f"{four}\nprint(len(held))"), sandbox.run(five)

    assert (report.error_type, report.output) == ("", "4\n")
    assert (refused.error_type, refused.stopped_because) == ("OutOfMemoryError", None)
    assert "total capacity of 8.00 GiB of which 0 bytes is free" in refused.message
    assert sandbox.run(endless).error_type == "OutOfMemoryError"


@pytest.mark.parametrize(("name", "where", "use"), USED)
def test_what_is_used_of_it_counts_as_memory_of_the_run(name, where, use):
    report = ran(HUGE.format(where) + use, MACHINES[name])
    assert (report.stopped_because, report.line) == ("memory", 3)
    assert dict(report.explanation.values) == {"needed": "3 GiB", "most": "256 MiB"}


@pytest.mark.parametrize("name", MACHINES)
def test_its_shape_type_and_views_are_there(name):
    program = """\
with torch.device("cpu"):
    x = torch.empty(3, 2**28, dtype=torch.float64, requires_grad=True)
like = torch.empty_like(x, dtype=torch.int64)
y = like.view(-1, 4)[1:].t()
print(x.requires_grad, x.is_leaf, x.is_contiguous(), x.device, x.dtype)
print(tuple(y.shape), y.dtype, like.zero_() is like)
"""
    assert ran(program, MACHINES[name]).output.splitlines() == [
        "True True True cpu torch.float64",
        "(4, 201326591) torch.int64 True",
    ]


def test_where_the_run_has_room_after_all_it_is_memory_like_any():
    program = """\
first = torch.empty(160 * 2**20, dtype=torch.uint8)
second = torch.empty(160 * 2**20, dtype=torch.uint8)
try:
    second.fill_(3)
except RuntimeError as error:
    print("tried to allocate 167772160 bytes" in str(error))
del first
second.fill_(3)
second.numpy()[1] = 5
print(second[:3].tolist(), second[-1].item())
"""
    assert ran(program, REAL).output.splitlines() == ["True", "[3, 5, 3] 3"]


def test_tensors_come_and_go_without_end():
    program = "for _ in range(2_000):\n    x = torch.empty(2**31, dtype=torch.uint8)\nlen(x)"
    assert ran(program, REAL).value == str(2**31)


def test_more_than_the_computer_has_is_refused_at_once():
    computer_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    report = ran(f"\nx = torch.empty({computer_bytes + 1}, dtype=torch.uint8)", REAL)
    assert (report.stopped_because, report.line) == ("memory", 2)


def test_a_run_leaves_nothing_behind():
    program = """
import resource, torch
from playground.sandbox import facade
from playground.sandbox.jail.resources import data_bytes
methods = lambda: (torch.Tensor.numpy, torch.Tensor.__dlpack__)
before, names = methods(), facade.bind()
with facade.lazy_allocation():
    most = data_bytes() + 128 * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    x = names["torch"].empty(2**30)
    print(*map(lambda own, known: own is known, methods(), before))
print(*map(lambda own, known: own is known, methods(), before))
print(torch._C._len_torch_dispatch_stack())
"""
    assert run_fresh(program).splitlines() == ["False False", "True True", "0"]


DIRTY = "for _ in range(64):\n    torch.full((64,), 7.0)\n"  # memory that was in use before
LEGACY = f"""{DIRTY}n = 64
print(torch.Tensor(2, 3).tolist(), torch.Tensor([2, 3]))
kinds = [torch.IntTensor, torch.FloatTensor, torch.LongTensor, torch.DoubleTensor]
print([bool(kind(n).any()) for kind in kinds], torch.IntTensor(n).dtype)
print(torch.FloatTensor([2, 3]), torch.FloatTensor(), torch.IntTensor)
print(isinstance(torch.ones(2), torch.FloatTensor), isinstance(torch.ones(2), torch.IntTensor))
print(torch.ones(2).type(torch.IntTensor).type())
torch.set_default_tensor_type(torch.DoubleTensor)
torch.ones(1).dtype"""


@pytest.mark.parametrize("gpus", [0, 2])
def test_a_tensor_of_a_legacy_type_is_zeros_where_it_is_given_a_size(gpus):
    report = sandbox.run(LEGACY, Machine(gpus=gpus))

    assert (report.message, report.value) == ("", "torch.float64")
    assert report.output.splitlines() == [
        "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] tensor([2., 3.])",
        "[False, False, False, False] torch.int32",
        "tensor([2., 3.]) tensor([]) <class 'torch.IntTensor'>",
        "True False",
        "torch.IntTensor",
    ]


@pytest.mark.parametrize("first", ["cpu", "meta"])
def test_a_module_that_is_made_empty_is_zeros(first):
    source = f"""{DIRTY}net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)).to("{first}")
net = net.to_empty(device="cpu")
[float(each.sum()) for each in net.state_dict().values()], net[0].weight.requires_grad"""
    assert sandbox.run(source).value == f"({[0.0] * 7}, True)"
