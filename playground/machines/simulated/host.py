"""The state of a host with simulated GPUs: memory, visible and current devices, seeds.

``this_thread.host`` is the host that the calling thread is inside. Every patch and both modes read
it, and do what torch does where it is None.
"""

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psutil
import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from playground.machines.simulated import error_messages
from playground.machines.simulated.allocator import CachingAllocator, NoRoomError
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.storages import (
    CPU,
    DEVICE_ATTRIBUTE,
    DeviceAllocation,
    storage_index,
)
from playground.machines.visible_devices import simulated_uuids
from playground.units import MEBIBYTE, format_bytes

Function = Callable[..., Any]  # of torch
Arguments = Sequence[Any]  # of a call of such a function: by position,
Options = dict[str, Any]  # and by name

MIN_CHECKED_BYTES = 64 * MEBIBYTE  # smaller tensors are made without asking for free memory


class _ThisThread(threading.local):
    host: "SimulatedHost | None" = None


this_thread = _ThisThread()


@contextmanager
def use_host(host: "SimulatedHost | None") -> Iterator[None]:
    """Set the host that this thread is inside; None means torch as installed.

    Torch's modes are per thread too, so other threads are not affected.
    """
    outer = this_thread.host
    this_thread.host = host
    try:
        yield
    finally:
        this_thread.host = outer


class SimulatedHost:
    """The CUDA devices that code inside one ``with simulated_gpus(…)`` uses.

    Attributes:
        count: The number of GPUs installed.
        memory_bytes: The memory of each.
        current_index: The index that ``"cuda"`` means.
        is_initialised: ``torch.cuda.is_initialized()``.
        target_index: The device that the running operation writes to, where the caller named one.
        cached_count: The number that ``torch.cuda.device_count`` has cached.
        default_seed: The seed of every device that was not seeded individually.
        function_mode: The function mode of these devices.
        current_call: The arguments of the C++ function that is running, if any.
        last_index: The device of the last operation.
        met_cpu_scalar: The last operation had a 0-dim CPU tensor beside tensors on a GPU (see
            ``gradients``).
        current_stream: The stream that the program has entered, if any.
        stream_count: How many streams it has made.
        has_uncommitted: Some tensor has memory that is not committed (see ``storages``).
    """

    def __init__(self, count: int, memory_bytes: int) -> None:
        self.count = count
        self.memory_bytes = memory_bytes
        self.current_index = 0
        self.is_initialised = False
        self.target_index: int | None = None
        self.function_mode: TorchFunctionMode | None = None
        self.current_call: tuple[Arguments, Options] | None = None
        self.last_index = CPU
        self.met_cpu_scalar = False
        self.has_uncommitted = False
        self.current_stream: Any = None
        self.stream_count = 0
        self.started_pid = os.getpid()
        self.seeds: dict[int, torch.Tensor] = {}
        self.initial_seeds: dict[int, int] = {}
        self.default_seed = torch.default_generator.initial_seed()
        self.cached_count: int | None = None
        self._visible: tuple[int, ...] | None = None
        self._allocators = tuple(CachingAllocator(memory_bytes) for _ in range(count))

    def was_forked(self) -> bool:
        """Return whether this process was forked after CUDA had started; CUDA then fails."""
        return self.is_initialised and os.getpid() != self.started_pid

    def start_driver(self) -> tuple[int, ...]:
        """Return the visible GPUs; the driver reads CUDA_VISIBLE_DEVICES only when it starts."""
        if self._visible is None:
            self._visible = read_visible_gpus(self.count)
        return self._visible

    def initialise(self) -> None:
        """Initialise CUDA, as the first use of a device does.

        Raises:
            RuntimeError: No GPU is visible, or this process was forked after CUDA had started.
        """
        if self.is_initialised:
            if self.was_forked():
                raise error_messages.forked()
            return
        if not self.start_driver():
            raise error_messages.no_gpus()
        self.is_initialised = True
        self.started_pid = os.getpid()

    def check(self, index: int) -> int:
        """Return the index of a visible device.

        Raises:
            torch.AcceleratorError: There is no such device.
        """
        self.initialise()
        if not 0 <= index < len(self.start_driver()):
            raise error_messages.invalid_ordinal()
        return index

    def resolve(self, device: object) -> int | None:
        """Return the index of a device, string or number.

        Returns:
            A CUDA index, ``CPU``, or None for other device types, which torch handles.
        """
        if isinstance(device, int) and not isinstance(device, bool):
            device = torch.device("cuda", device)
        elif isinstance(device, str):
            device = torch.device(device)
        if not isinstance(device, torch.device):
            return None
        if device.type == "cuda":
            self.initialise()
            return self.check(self.current_index if device.index is None else device.index)
        return CPU if device.type == "cpu" else None

    def allocator(self, index: int) -> CachingAllocator:
        """Return the memory of ``cuda:index``."""
        visible = self.start_driver()
        if index >= len(visible):
            raise not_simulated(
                f"a tensor of another simulator, on cuda:{index}, which is missing here"
            )
        return self._allocators[visible[index]]

    def with_function_mode(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a hook that C++ calls, so that it runs under the function mode again."""

        @functools.wraps(hook)
        def hook_under_mode(*args: Any) -> Any:
            mode = self.function_mode
            if this_thread.host is not self or mode is None or _is_active(mode):
                return hook(*args)
            outer, self.current_call = self.current_call, None
            try:
                with mode:
                    return hook(*args)
            finally:
                self.current_call = outer

        return hook_under_mode

    def place(self, storage: torch.UntypedStorage, index: int) -> None:
        """Put a new storage on a device; a storage that has a device keeps it.

        Raises:
            torch.OutOfMemoryError: The device has no room.
        """
        if index == CPU or getattr(storage, DEVICE_ATTRIBUTE, None) is not None:
            return
        size_bytes = storage.nbytes()
        try:
            setattr(
                storage,
                DEVICE_ATTRIBUTE,
                DeviceAllocation(index, self.allocator(index), size_bytes),
            )
        except NoRoomError:
            raise self.out_of_memory(index, size_bytes) from None

    def move(self, storage: torch.UntypedStorage, index: int) -> None:
        """Move a storage to another device."""
        if storage_index(storage) != index:
            if hasattr(storage, DEVICE_ATTRIBUTE):
                delattr(storage, DEVICE_ATTRIBUTE)
            self.place(storage, index)

    def require(self, index: int, size_bytes: int, fills_memory: bool) -> None:
        """Check that a result fits, before this computer's memory is used.

        Raises:
            torch.OutOfMemoryError: It does not fit into the simulated device.
            NotSimulatedError: It does not fit into this computer's free memory.
        """
        if size_bytes > sys.maxsize:
            return  # torch refuses such a size itself
        if index != CPU and not self.allocator(index).fits(size_bytes):
            raise self.out_of_memory(index, size_bytes)
        if fills_memory and size_bytes > MIN_CHECKED_BYTES and size_bytes > _free_bytes():
            raise not_simulated(
                f"a tensor of {format_bytes(size_bytes)}, more than this computer has free"
            )

    def out_of_memory(self, index: int, size_bytes: int) -> Exception:
        """Return CUDA's out-of-memory error with the figures of this device."""
        allocator = self.allocator(index)
        allocator.empty_cache()  # as CUDA's allocator does before it gives up
        return error_messages.out_of_memory(
            requested=size_bytes,
            index=index,
            capacity=allocator.capacity,
            free=allocator.capacity - allocator.reserved,
            allocated=allocator.allocated,
            reserved=allocator.reserved,
        )


def _is_active(mode: TorchFunctionMode) -> bool:
    """Return whether a mode sees the calls made now; inside its own handler it does not."""
    stack = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return any(each is mode for each in stack)


def read_visible_gpus(count: int) -> tuple[int, ...]:
    """Return the physical index of each ``cuda:i`` under the current CUDA_VISIBLE_DEVICES.

    torch's own parser reads the variable. The list ends at the first entry that names no GPU, and a
    repeated entry empties it, as in the CUDA driver.

    Args:
        count: The number of GPUs installed.
    """
    named = torch.cuda._parse_visible_devices()
    if named and isinstance(named[0], str):
        uuids = list(simulated_uuids(count))
        named = torch.cuda._transform_uuid_to_ordinals([str(name) for name in named], uuids)
    visible: list[int] = []
    for physical in named:
        if int(physical) >= count:
            break
        visible.append(int(physical))
    return tuple(visible)


def _free_bytes() -> int:
    """Return this computer's free memory; a jail that hides it enforces a limit of its own."""
    try:
        return int(psutil.virtual_memory().available)
    except PermissionError:
        return sys.maxsize


def replace_allocator_error(error: RuntimeError) -> Exception:
    """Return an error of this computer's allocator as not simulated, any other as it is."""
    if "DefaultCPUAllocator" in str(error):
        return not_simulated("a result larger than this computer's free memory")
    return error
