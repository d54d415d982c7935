"""The storages of tensors: the device that each is on, and memory that is committed on first use.

The device is an attribute of the storage. ``torch`` returns the same storage object for every view
of a tensor, and the storage keeps its attributes for as long as any view lives, so views,
parameters and ``.data`` share the device. A storage without the attribute is in the CPU's memory.

``torch.empty`` on a GPU of 8 GiB works on any host, since nothing is written yet. Where this
computer cannot allocate as much, the tensor is placed in a mapping without access, which Linux does
not charge. The first operation that reads or writes the tensor commits the memory or is refused. So
does code that reads it without an operation (``tolist``, an index into its storage). The size of a
result is computed before its memory is taken.
"""

import ctypes
import math
import mmap
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated.error_messages import not_simulated

if TYPE_CHECKING:
    from playground.machines.simulated.allocator import Block, CachingAllocator

CPU = -1
DEVICE_ATTRIBUTE = "_simulated"
UNCOMMITTED_ATTRIBUTE = "_uncommitted"
LARGE_NUMEL = 2**16  # operations on fewer elements run before their size is known
NO_ACCESS, READ_AND_WRITE = 0, 3  # PROT_NONE, PROT_READ | PROT_WRITE
aten = torch.ops.aten
_DEVICES = {CPU: torch.device("cpu")} | {i: torch.device("cuda", i) for i in range(64)}


# -- the device -----------------------------------------------------------------------------------


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
        raise not_simulated(f"{tensor.layout} tensors on a GPU") from None


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


# -- the size of results, and uncommitted memory ---------------------------------------------------


def result_bytes(operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    """Return the size of the results: a factory names it, other operations run on ``meta``."""
    shape = args[0] if args else None
    if isinstance(shape, list) and (not shape or type(shape[0]) is int):
        dtype = kwargs.get("dtype") or torch.get_default_dtype()
        return math.prod(shape) * dtype.itemsize
    try:
        shapes = operation(*on_meta(args), **on_meta(kwargs))
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
        return 0  # the operation itself will raise the error
    return _total_bytes(shapes)


def max_growth(args: Sequence[Any]) -> int:
    """Bound the growth from arguments to results by the integer arguments (sizes, paddings)."""
    factor = 1
    for value in args:
        if type(value) is int:
            factor *= max(value, 1)
        elif type(value) is list:
            for part in value:
                if type(part) is int and part > 1:
                    factor *= part
    return factor


def on_meta(value: Any) -> Any:
    """Convert an argument of an operation to ``meta``, where nothing is computed."""
    if isinstance(value, Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, list | tuple):
        return [on_meta(part) for part in value]
    if isinstance(value, dict):
        return {name: on_meta(part) for name, part in value.items()}
    return torch.device("meta") if isinstance(value, torch.device) else value


def _total_bytes(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.nbytes
    return sum(map(_total_bytes, value)) if isinstance(value, list | tuple) else 0


def allocate_uncommitted(
    operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Tensor | None:
    """Create the result of a factory for which this computer has no memory.

    Args:
        operation: A factory that returns uninitialised memory or zeros.
        args: Its arguments.
        kwargs: Likewise.

    Returns:
        None where the system has no such mappings.
    """
    meta = operation(*on_meta(args), **{**on_meta(kwargs), "device": torch.device("meta")})
    return uncommitted_like(meta)


def uncommitted_like(meta: Tensor, refusal: str = "") -> Tensor | None:
    """Create a tensor like one on ``meta``, in memory without access until it is committed.

    Args:
        meta: The tensor to be created.
        refusal: The message of the RuntimeError if it cannot be committed; without it,
            NotSimulatedError is raised.

    Returns:
        None where the system has no such mappings.
    """
    if sys.platform != "linux":
        return None
    try:
        memory = mmap.mmap(
            -1,
            meta.untyped_storage().nbytes(),
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
            prot=NO_ACCESS,
        )
    except (OSError, ValueError, OverflowError):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the buffer is not writable yet
        tensor = torch.frombuffer(memory, dtype=meta.dtype).as_strided(meta.shape, meta.stride())
    setattr(tensor.untyped_storage(), UNCOMMITTED_ATTRIBUTE, refusal)
    return tensor


def commit_arguments(
    operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Tensor | None:
    """Commit the memory of an operation's arguments.

    Returns:
        The operation's result where nothing is to be done: uncommitted memory is zero already.

    Raises:
        NotSimulatedError: This computer has not enough memory.
        RuntimeError: The same, for memory that torch's own allocator refused.
    """
    if operation is aten.zero_.default and is_uncommitted(args[0]):
        zeros: Tensor = args[0]
        return zeros
    for tensor in _tensors((*args, *kwargs.values())):
        commit_tensor(tensor)
    return None


def commit_tensor(tensor: Tensor) -> None:
    """Commit a tensor's memory if it is uncommitted; call it with torch functions disabled.

    Raises:
        NotSimulatedError, RuntimeError: As ``commit_arguments``.
    """
    if is_uncommitted(tensor):
        commit_storage(tensor.untyped_storage())


def is_uncommitted(tensor: Tensor) -> bool:
    """Return whether a tensor's memory is not committed; call it with torch functions disabled."""
    try:
        return hasattr(tensor.untyped_storage(), UNCOMMITTED_ATTRIBUTE)
    except (NotImplementedError, RuntimeError):
        return False  # a sparse tensor, or one inside grad or vmap, has no storage of its own


def commit_storage(storage: torch.UntypedStorage) -> None:
    """Commit the memory of a storage, which is then ordinary memory.

    Raises:
        NotSimulatedError, RuntimeError: As ``commit_arguments``; the memory stays uncommitted.
    """
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if libc.mprotect(storage.data_ptr(), storage.nbytes(), READ_AND_WRITE) == 0:
        delattr(storage, UNCOMMITTED_ATTRIBUTE)
        return
    if refusal := getattr(storage, UNCOMMITTED_ATTRIBUTE):
        raise RuntimeError(refusal)
    missing = MemoryError(storage.nbytes())
    raise not_simulated("a tensor larger than this computer's free memory") from missing


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
