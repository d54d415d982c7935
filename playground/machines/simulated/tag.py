"""Where a tensor lives: a tag on its storage, so views, parameters and ``.data`` need no care.

``torch`` gives back the same storage object for every view of a tensor, and the storage carries
attributes for as long as any view lives. A storage without a tag is in the CPU's memory.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from playground.errors import NotSimulatedError

if TYPE_CHECKING:
    from playground.machines.simulated.allocator import Block, CachingAllocator

CPU = -1
ATTRIBUTE = "_simulated"


class Tag:
    """Memory that one storage holds on a simulated device; freed when the storage dies."""

    __slots__ = ("allocator", "block", "index")

    def __init__(self, index: int, allocator: "CachingAllocator", size_bytes: int) -> None:
        self.index = index
        self.allocator = allocator
        self.block: Block | None = None
        self.block = allocator.allocate(size_bytes)

    def __del__(self) -> None:
        """Free the memory: the last view of the storage has died."""
        if self.block is not None:
            self.allocator.free(self.block)


def storage_index(storage: torch.UntypedStorage) -> int:
    """Tell the CUDA index of a storage's device, or ``CPU``."""
    tag: Tag | None = getattr(storage, ATTRIBUTE, None)
    return CPU if tag is None else tag.index


def index_of(tensor: Tensor) -> int:
    """Tell the CUDA index of a tensor's device, or ``CPU``.

    Call it with torch functions disabled: under the mode, reading the storage would recurse.
    """
    try:
        tag = getattr(tensor.untyped_storage(), ATTRIBUTE, None)
    except (NotImplementedError, RuntimeError):
        return _index_without_storage(tensor)
    return CPU if tag is None else tag.index


def storage_of(tensor: Tensor) -> torch.UntypedStorage:
    """Return a tensor's storage; with torch functions disabled, as ``index_of``.

    Raises:
        NotSimulatedError: It has none.
    """
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        raise NotSimulatedError("not_simulated", what=f"{tensor.layout} tensors on a GPU") from None


def _index_without_storage(tensor: Tensor) -> int:
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):  # inside grad, vmap, jvp
        return index_of(torch._C._functorch.get_unwrapped(tensor))
    return CPU  # a sparse tensor: none can be put on a simulated device


def device_named(index: int) -> torch.device:
    """Turn an index into the device object that torch would show."""
    return _DEVICES[index]


_DEVICES = {CPU: torch.device("cpu")} | {i: torch.device("cuda", i) for i in range(64)}
