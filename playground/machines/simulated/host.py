"""A host with simulated GPUs: their memory, which are visible, which is current, their seeds."""

import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import psutil
import torch

from playground.errors import NotSimulatedError
from playground.machines.simulated import texts
from playground.machines.simulated.active import this_thread
from playground.machines.simulated.allocator import CachingAllocator, NoRoomError
from playground.machines.simulated.tag import ATTRIBUTE, CPU, Tag, storage_index
from playground.machines.simulated.visible import visible_gpus
from playground.units import MEBIBYTE, format_bytes

if TYPE_CHECKING:
    from playground.machines.simulated.surface import Surface

NOTICED = 64 * MEBIBYTE  # below, this computer's free memory is not looked at


class SimulatedHost:
    """What the code inside one ``with simulated_gpus(…)`` meets.

    Attributes:
        count: How many GPUs are installed.
        memory_bytes: The memory of each.
        current: The index that ``"cuda"`` means.
        is_initialised: Whether torch has started CUDA, as ``torch.cuda.is_initialized()`` says.
        target: Where the operation that runs now puts its result, when the caller named a device.
        kept_count: What ``torch.cuda.device_count`` has kept.
        default_seed: The seed of every device that has not been seeded alone.
        surface: The mode that answers for these devices.
        call: The arguments of the C++ function that runs now, if one does.
        last_index: Where the last operation was.
        met_scalar: A 0-dim CPU tensor has just met tensors on a GPU (see ``gradients``).
        has_promised: Some tensor has memory that this computer has not given (see ``promises``).
    """

    def __init__(self, count: int, memory_bytes: int) -> None:
        self.count = count
        self.memory_bytes = memory_bytes
        self.current = 0
        self.is_initialised = False
        self.target: int | None = None
        self.surface: Surface | None = None
        self.call: tuple[Sequence[Any], dict[str, Any]] | None = None
        self.last_index = CPU
        self.met_scalar = False
        self.has_promised = False
        self.started_in = os.getpid()
        self.seeds: dict[int, torch.Tensor] = {}
        self.initial_seeds: dict[int, int] = {}
        self.default_seed = torch.default_generator.initial_seed()
        self.kept_count: int | None = None
        self._visible: tuple[int, ...] | None = None
        self._allocators = tuple(CachingAllocator(memory_bytes) for _ in range(count))

    def visible_now(self) -> tuple[int, ...]:
        """List the GPUs that CUDA_VISIBLE_DEVICES names at this moment."""
        return visible_gpus(self.count)

    def was_forked(self) -> bool:
        """Whether this process was forked after CUDA had started: CUDA then refuses to work."""
        return self.is_initialised and os.getpid() != self.started_in

    def start_driver(self) -> tuple[int, ...]:
        """Start the driver, which reads CUDA_VISIBLE_DEVICES once and for all."""
        if self._visible is None:
            self._visible = visible_gpus(self.count)
        return self._visible

    def initialise(self) -> None:
        """Start CUDA as the first use of a device does.

        Raises:
            RuntimeError: No GPU is visible, or this process was forked after CUDA had started.
        """
        if self.is_initialised:
            if self.was_forked():
                raise texts.forked()
            return
        if not self.start_driver():
            raise texts.no_gpus()
        self.is_initialised = True
        self.started_in = os.getpid()

    def check(self, index: int) -> int:
        """Return the index of a visible device.

        Raises:
            torch.AcceleratorError: There is no such device.
        """
        self.initialise()
        if not 0 <= index < len(self.start_driver()):
            raise texts.invalid_ordinal()
        return index

    def resolve(self, device: object) -> int | None:
        """Find the index a device, string or number stands for.

        Returns:
            An index, ``CPU``, or None where it is neither the CPU nor a GPU (for torch to judge).
        """
        if isinstance(device, int) and not isinstance(device, bool):
            device = torch.device("cuda", device)
        elif isinstance(device, str):
            device = torch.device(device)
        if not isinstance(device, torch.device):
            return None
        if device.type == "cuda":
            self.initialise()
            return self.check(self.current if device.index is None else device.index)
        return CPU if device.type == "cpu" else None

    def allocator(self, index: int) -> CachingAllocator:
        """The memory of ``cuda:index``."""
        visible = self.start_driver()
        if index >= len(visible):
            raise refuse(f"a tensor of another simulator, on cuda:{index}, which is missing here")
        return self._allocators[visible[index]]

    def seeing(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """Let a hook that C++ calls meet the simulated devices, like the code around it."""

        @functools.wraps(hook)
        def seeing_hook(*args: Any) -> Any:
            if this_thread.host is not self or self.surface is None or self.surface.is_on():
                return hook(*args)
            outer, self.call = self.call, None
            try:
                with self.surface:
                    return hook(*args)
            finally:
                self.call = outer

        return seeing_hook

    def place(self, storage: torch.UntypedStorage, index: int) -> None:
        """Let a new storage live on a device; a storage that has a place keeps it.

        Raises:
            torch.OutOfMemoryError: The device has no room.
        """
        if index == CPU or getattr(storage, ATTRIBUTE, None) is not None:
            return
        size_bytes = storage.nbytes()
        try:
            setattr(storage, ATTRIBUTE, Tag(index, self.allocator(index), size_bytes))
        except NoRoomError:
            raise self.out_of_memory(index, size_bytes) from None

    def move(self, storage: torch.UntypedStorage, index: int) -> None:
        """Let a storage live elsewhere from now on."""
        if storage_index(storage) != index:
            if hasattr(storage, ATTRIBUTE):
                delattr(storage, ATTRIBUTE)
            self.place(storage, index)

    def require(self, index: int, size_bytes: int, touches: bool) -> None:
        """Refuse what cannot fit before this computer's own memory is touched.

        Raises:
            torch.OutOfMemoryError: The simulated device has no room for it.
            NotSimulatedError: This computer has no room for it.
        """
        if size_bytes > sys.maxsize:
            return  # torch refuses such a size itself
        if index != CPU and not self.allocator(index).fits(size_bytes):
            raise self.out_of_memory(index, size_bytes)
        if touches and size_bytes > NOTICED and size_bytes > _free_bytes():
            raise refuse(
                f"a tensor of {format_bytes(size_bytes)}, more than this computer has free"
            )

    def out_of_memory(self, index: int, size_bytes: int) -> Exception:
        """Word the refusal with this device's figures."""
        allocator = self.allocator(index)
        allocator.empty_cache()  # as CUDA's allocator does before it gives up
        return texts.out_of_memory(
            requested=size_bytes,
            index=index,
            capacity=allocator.capacity,
            free=allocator.capacity - allocator.reserved,
            allocated=allocator.allocated,
            reserved=allocator.reserved,
        )


def _free_bytes() -> int:
    """What this computer has free; a jail that hides it has a limit of its own, which refuses."""
    try:
        return int(psutil.virtual_memory().available)
    except PermissionError:
        return sys.maxsize


def of_the_device(error: RuntimeError) -> Exception:
    """Return an error as it is, unless it tells of this computer's memory, which a GPU has not."""
    if "DefaultCPUAllocator" in str(error):
        return refuse("a result larger than this computer's free memory")
    return error


def refuse(what: str) -> NotSimulatedError:
    """Say what cannot be simulated faithfully."""
    return NotSimulatedError("not_simulated", what=what)
