"""The device of a tensor: an attribute of its storage, so views, parameters and ``.data`` share it.

``torch`` returns the same storage object for every view of a tensor, and the storage keeps its
attributes for as long as any view lives. A storage without the attribute is in the CPU's memory.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from playground.errors import NotSimulatedError

if TYPE_CHECKING:
    from playground.machines.simulated.allocator import Block, CachingAllocator

CPU = -1
DEVICE_ATTRIBUTE = "_simulated"


class DeviceAllocation:
    """The memory of one storage on a simulated device; freed with the storage."""

    __slots__ = ("allocator", "block", "index")

    def __init__(self, index: int, allocator: "CachingAllocator", size_bytes: int) -> None:
        self.index = index
        self.allocator = allocator
        self.block: Block | None = None
        self.block = allocator.allocate(size_bytes)

    def __del__(self) -> None:

        if self.block is not None:
            self.allocator.free(self.block)


def storage_index(storage: torch.UntypedStorage) -> int:
    """Return the CUDA index of a storage's device, or ``CPU``."""
    allocation: DeviceAllocation | None = getattr(storage, DEVICE_ATTRIBUTE, None)
    return CPU if allocation is None else allocation.index


def device_index(tensor: Tensor) -> int:
    """Return the CUDA index of a tensor's device, or ``CPU``.

    Call it with torch functions disabled: under the function mode, reading the storage recurses.
    """
    try:
        allocation = getattr(tensor.untyped_storage(), DEVICE_ATTRIBUTE, None)
    except (NotImplementedError, RuntimeError):
        return _index_without_storage(tensor)
    return CPU if allocation is None else allocation.index


def guarded_device_index(tensor: Tensor) -> int:
    """Return ``device_index`` where torch functions may be enabled."""
    with torch._C.DisableTorchFunction():
        return device_index(tensor)


def storage_of(tensor: Tensor) -> torch.UntypedStorage:
    """Return a tensor's storage; call it with torch functions disabled.

    Raises:
        NotSimulatedError: The tensor has none.
    """
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        raise NotSimulatedError("not_simulated", what=f"{tensor.layout} tensors on a GPU") from None


def _index_without_storage(tensor: Tensor) -> int:
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):  # inside grad, vmap, jvp
        return device_index(torch._C._functorch.get_unwrapped(tensor))
    return CPU  # a sparse tensor: none can be put on a simulated device


def torch_device(index: int) -> torch.device:
    """Return the ``torch.device`` of an index."""
    return _DEVICES[index]


def type_name(tensor: Tensor) -> str:
    """Name a tensor's type as ``Tensor.type()`` does, e.g. ``torch.cuda.FloatTensor``."""
    with torch._C.DisableTorchFunction():
        plain = tensor.type()
    return plain if device_index(tensor) == CPU else plain.replace("torch.", "torch.cuda.", 1)


def cpp_type_name(tensor: Tensor) -> str:
    """Name a tensor's type as C++ does, e.g. ``CUDAFloatType``."""
    with torch._C.DisableTorchFunction():
        scalar = tensor.type().rpartition(".")[2].removesuffix("Tensor")
    return f"{'CPU' if guarded_device_index(tensor) == CPU else 'CUDA'}{scalar}Type"


_DEVICES = {CPU: torch.device("cpu")} | {i: torch.device("cuda", i) for i in range(64)}
