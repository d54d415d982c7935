"""The closed choices of the lesson on devices, and the code that each of them stands for."""

from collections.abc import Mapping
from enum import StrEnum, unique
from types import MappingProxyType


@unique
class Idiom(StrEnum):
    """How a program chooses its device."""

    CUDA = "cuda"
    ACCELERATOR = "accelerator"


@unique
class Variable(StrEnum):
    """The variable that hides GPUs, and the one that people write instead."""

    CUDA_VISIBLE_DEVICES = "cuda_visible_devices"
    CUDA_VISIBLE_DEVICE = "cuda_visible_device"


@unique
class Moment(StrEnum):
    """When the variable is set."""

    BEFORE = "before"
    AFTER = "after"  # CUDA has started already


@unique
class CurrentWay(StrEnum):
    """How the current GPU is chosen."""

    SET_DEVICE = "set-device"
    WITH_DEVICE = "with-cuda-device"


@unique
class Call(StrEnum):
    """A line that puts a tensor somewhere while a GPU is the current one."""

    CUDA = "x-cuda"
    TO_CUDA = "x-to-cuda"
    ONES_CUDA = "ones-cuda"
    ONES = "ones"
    ONES_CUDA_0 = "ones-cuda-0"


@unique
class DefaultWay(StrEnum):
    """How the default device is chosen."""

    SET_DEFAULT_DEVICE = "set-default-device"
    WITH_DEVICE = "with-torch-device"


@unique
class Factory(StrEnum):
    """A line that makes a tensor while a default device is set."""

    ONES = "ones"
    TENSOR = "tensor"
    LINEAR = "linear"
    AS_TENSOR = "as-tensor"
    FROM_NUMPY = "from-numpy"
    TENSOR_CLASS = "tensor-class"
    ZEROS_LIKE = "zeros-like"
    ONES_CPU = "ones-cpu"


@unique
class MemoryMoment(StrEnum):
    """The moments at which GPU memory is looked at."""

    BEFORE = "memory-before"
    HELD = "memory-held"
    DELETED = "memory-deleted"
    EMPTIED = "memory-emptied"


CALLS: Mapping[Call, str] = MappingProxyType(
    {
        Call.CUDA: "x.cuda()",
        Call.TO_CUDA: 'x.to("cuda")',
        Call.ONES_CUDA: 'torch.ones(2, device="cuda")',
        Call.ONES: "torch.ones(2)",
        Call.ONES_CUDA_0: 'torch.ones(2, device="cuda:0")',
    }
)
FACTORIES: Mapping[Factory, str] = MappingProxyType(
    {
        Factory.ONES: "torch.ones(2)",
        Factory.TENSOR: "torch.tensor([1.0, 2.0])",
        Factory.LINEAR: "torch.nn.Linear(2, 1).weight",
        Factory.AS_TENSOR: "torch.as_tensor(array)",
        Factory.FROM_NUMPY: "torch.from_numpy(array)",
        Factory.TENSOR_CLASS: "torch.Tensor([1.0, 2.0])",
        Factory.ZEROS_LIKE: "torch.zeros_like(x)",
        Factory.ONES_CPU: 'torch.ones(2, device="cpu")',
    }
)
