import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such mappings")
ROOM = """
import resource
import torch
from playground.errors import NotSimulatedError
from playground.machines.simulated import simulated_gpus

GIB = 2**30
torch.set_num_threads(1)
torch.empty(1).zero_()

def data_bytes():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["VmData"].split()[0]) * 1024

def refused(do):
    try:
        do()
    except NotSimulatedError as error:
        return "free memory" in error.values["what"]
    return False

with simulated_gpus(2, 8.0):
    x = torch.empty_like(torch.ones(2**17, device="cuda") + 1)  # loads the meta functions
    x.add_(1).sum().item()
    del x
    torch.cuda.empty_cache()
    most = data_bytes() + 128 * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
"""


FILLED = """
    held = [torch.empty(3 * GIB, dtype=torch.uint8, device="cuda") for _ in range(2)]
    print([each.shape[0] // GIB for each in held], held[0].device, held[0].is_contiguous())
    print(torch.cuda.memory_allocated() // GIB, torch.cuda.mem_get_info()[0] // GIB)
    try:
        torch.empty(3 * GIB, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as error:
        print("2.00 GiB is free" in str(error))
    del held
    print(torch.cuda.memory_allocated(), data_bytes() <= most)
"""
UNUSED = """
    x = torch.empty(2, GIB, dtype=torch.int16, device="cuda:1")
    y = x.view(-1, 4)[1:].t()
    print(tuple(y.shape), y.dtype, y.device, torch.empty_like(x).shape == x.shape)
    print(refused(lambda: x + 1), refused(lambda: x.add_(1)), refused(lambda: x.sum()))
    print(refused(lambda: x[0, 0].item()), refused(lambda: torch.ones(GIB, device="cuda")))
    z = torch.zeros(GIB, device="cuda")
    print(x.zero_() is x, refused(lambda: z[:3].tolist()), refused(lambda: z.untyped_storage()[0]))
    del x, y, z
"""
COMMITTED = """
    first = torch.empty(80 * 2**20, dtype=torch.uint8, device="cuda")
    second = torch.empty(80 * 2**20, dtype=torch.uint8, device="cuda")  # 48 MiB are left
    print(refused(lambda: second.fill_(3)))
    del first
    second.fill_(3)
    print(second[-1].item(), second.device)
    del second
    third = torch.zeros(80 * 2**20, dtype=torch.uint8, device="cuda")
    fourth = torch.zeros(80 * 2**20, dtype=torch.uint8, device="cuda")
    del third
    print(fourth[:3].tolist(), fourth.untyped_storage()[5])
"""
END = '    print("end")\n'


@pytest.fixture(scope="module")
def printed():
    """The output of each part on a simulated GPU, in a process limited to 128 MiB more."""
    source = ROOM + "".join(part + END for part in (FILLED, UNUSED, COMMITTED))
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("end\n")


def test_a_device_is_filled_without_the_hosts_memory(printed):
    assert printed[0].splitlines() == ["[3, 3] cuda:0 True", "6 2", "True", "0 True"]


def test_its_shape_type_and_views_are_there_and_its_content_is_not(printed):
    assert printed[1].splitlines() == [
        "(4, 536870911) torch.int16 cuda:1 True",
        "True True True",
        "True True",
        "True True True",
    ]


def test_where_the_host_has_room_after_all_it_is_memory_like_any(printed):
    assert printed[2].splitlines() == ["True", "3 cuda:0", "[0, 0, 0] 0"]
