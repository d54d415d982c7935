"""The shown programs: what a good PyTorch programmer would write for the same settings."""

from playground.lessons.devices.records import (
    CALLS,
    FACTORIES,
    Call,
    CompareDevices,
    CompareMemoryFigures,
    CurrentWay,
    DefaultWay,
    Factory,
    Idiom,
    Moment,
    PickDevice,
    ReadGpus,
    ReadServer,
    RunNvidiaSmi,
    TryAllGpus,
    TryGpu,
    UseCurrentDevice,
    UseDefaultDevice,
    UseDevice,
    VisibleDevices,
)

NUM_GPUS = '''\
def num_gpus():
    """Count the GPUs that PyTorch can use."""
    return torch.cuda.device_count()
'''


def read_server(settings: ReadServer) -> str:  # noqa: ARG001 - nothing to set
    """``result`` is the versions, and whether there is an accelerator."""
    return """\
import platform

import torch

result = (
    str(torch.__version__),
    torch.version.cuda,
    platform.python_version(),
    torch.accelerator.is_available(),
)
"""


def read_gpus(settings: ReadGpus) -> str:
    """``result`` is name, memory and capability, or None where there is no such GPU."""
    return f"""\
import torch

result = None
if torch.cuda.device_count() > {settings.index}:
    gpu = torch.cuda.get_device_properties({settings.index})
    result = (gpu.name, gpu.total_memory, f"{{gpu.major}}.{{gpu.minor}}")
"""


def run_nvidia_smi(settings: RunNvidiaSmi) -> str:  # noqa: ARG001 - nothing to set
    """``result`` says whether there is an nvidia-smi to run."""
    return """\
import shutil
import subprocess

result = shutil.which("nvidia-smi") is not None
if result:
    subprocess.run(["nvidia-smi"], timeout=10)
"""


def compare_memory_figures(settings: CompareMemoryFigures) -> str:
    """``result`` is what is allocated while the tensor is held, and after it is deleted."""
    return f"""\
import torch

X = torch.ones({settings.mebibytes} * 2**20, dtype=torch.uint8, device="cuda:0")
held = torch.cuda.memory_allocated("cuda:0")
print(torch.cuda.memory_reserved("cuda:0"))

del X
deleted = torch.cuda.memory_allocated("cuda:0")
print(torch.cuda.memory_reserved("cuda:0"))  # kept for the next tensor

torch.cuda.empty_cache()  # gives it back to the driver
free, total = torch.cuda.mem_get_info("cuda:0")
print(total - free)  # what nvidia-smi shows: every process, and CUDA itself
result = (held, deleted)
"""


def use_device(settings: UseDevice) -> str:
    """``result`` is where the tensor is."""
    return f"""\
import torch

device = torch.device("{settings.text}")
x = torch.ones(2, device=device)
result = str(x.device)
"""


def compare_devices(settings: CompareDevices) -> str:
    """``result`` is whether the two objects are equal."""
    return f"""\
import torch

result = torch.device("{settings.left}") == torch.device("{settings.right}")
"""


def try_gpu(settings: TryGpu) -> str:
    """``result`` is where the tensor is."""
    return f'''\
import torch


{NUM_GPUS}

def try_gpu(i=0):
    """Return GPU i if it exists, otherwise the CPU."""
    if num_gpus() >= i + 1:
        return torch.device(f"cuda:{{i}}")
    return torch.device("cpu")


Y = torch.ones(2, 3, device=try_gpu({settings.index}))
result = str(Y.device)
'''


def try_all_gpus(settings: TryAllGpus) -> str:  # noqa: ARG001 - nothing to set
    """``result`` is what the version gives that keeps its promise."""
    return f'''\
import torch


{NUM_GPUS}

def try_all_gpus():
    """Return all GPUs, or [the CPU] if there are none."""
    return [torch.device(f"cuda:{{i}}") for i in range(num_gpus())] or [torch.device("cpu")]


result = tuple(str(device) for device in try_all_gpus())
'''


def pick_device(settings: PickDevice) -> str:
    """``result`` is where the tensor is."""
    picks = {
        Idiom.CUDA: 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")',
        Idiom.ACCELERATOR: """\
if torch.accelerator.is_available():
    device = torch.accelerator.current_accelerator()
else:
    device = torch.device("cpu")""",
    }
    return f"""\
import torch

{picks[settings.idiom]}
X = torch.ones(2, 3, device=device)
result = str(X.device)
"""


def visible_devices(settings: VisibleDevices) -> str:
    """``result`` is how many GPUs the program sees."""
    variable = settings.variable.upper()
    if settings.value is None:
        line = f'os.environ.pop("{variable}", None)'
    else:
        line = f'os.environ["{variable}"] = {settings.value!r}'
    if settings.moment == Moment.AFTER:
        return f"""\
import os

import torch

x = torch.ones(1, device="cuda")  # CUDA starts, and reads the environment
print(torch.cuda.device_count())

{line}
result = torch.cuda.device_count()
"""
    return f"""\
import os

{line}  # before CUDA starts

import torch

result = torch.cuda.device_count()
"""


def use_current_device(settings: UseCurrentDevice) -> str:
    """``result`` is where the tensor is."""
    needs_x = settings.call in {Call.CUDA, Call.TO_CUDA}
    start = "import torch\n\n" + ("x = torch.ones(2)\n" if needs_x else "")
    line = f"y = {CALLS[settings.call]}"
    if settings.way == CurrentWay.WITH_DEVICE:
        body = f"with torch.cuda.device({settings.index}):\n    {line}\n"
    else:
        body = f"torch.cuda.set_device({settings.index})\n{line}\n"
    return f"{start}{body}result = str(y.device)\n"


def use_default_device(settings: UseDefaultDevice) -> str:
    """``result`` is where the tensor is."""
    needs_array = settings.factory in {Factory.AS_TENSOR, Factory.FROM_NUMPY}
    start = ("import numpy\n" if needs_array else "") + "import torch\n\n"
    start += "array = numpy.ones(2)\n" if needs_array else ""
    start += "x = torch.ones(2)\n" if settings.factory == Factory.ZEROS_LIKE else ""
    line = f"y = {FACTORIES[settings.factory]}"
    if settings.way == DefaultWay.WITH_DEVICE:
        body = f'with torch.device("{settings.device}"):\n    {line}\n'
    else:
        body = f'torch.set_default_device("{settings.device}")\n{line}\n'
    return f"{start}{body}result = str(y.device)\n"
