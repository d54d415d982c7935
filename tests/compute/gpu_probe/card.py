"""The first GPU: a real one, unless ``FakeCards`` stands in this process."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import torch

from playground.compute import worker

ASSERTED = (
    "CUDA error: device-side assert triggered\n"
    "Search for `cudaErrorAssert' in https://docs.nvidia.com/cuda/cuda-runtime-api/ for more "
    "information.\nCUDA kernel errors might be asynchronously reported at some other API call, so "
    "the stacktrace below might be incorrect."
)
FULL = (
    "CUDA out of memory. Tried to allocate {asked:.2f} GiB. GPU 0 has a total capacity of "
    "{total:.2f} GiB of which {free:.2f} GiB is free. {limit:.2f} GiB allowed; Of the allocated "
    "memory {held:.2f} GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but "
    "unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF="
    "expandable_segments:True to avoid fragmentation.  See documentation for Memory Management"
)
GIB = 2**30


def allocate(size_bytes: int) -> object:
    """Hold so many bytes of the first GPU for as long as what is returned lives."""
    if _fakes:
        return _fakes[0].allocate(size_bytes)
    return torch.empty(size_bytes, dtype=torch.uint8, device="cuda:0")


def break_context(*, waits: bool = True) -> None:
    """Do what no kernel may do; if it waits for that, raise what CUDA says to it."""
    if _fakes:
        _fakes[0].is_lost = True
    else:
        torch.ones(4, device="cuda:0")[torch.tensor([4_000_000], device="cuda:0")]
    if waits:
        torch.cuda.synchronize(0)


class FakeCards:
    """A CUDA of plain values: it allocates, refuses in torch's words, and stays lost once lost.

    With ``away`` in the folder ``faults`` no GPU can be seen, with ``sick`` none computes.
    """

    def __init__(self, totals: tuple[int, ...], faults: str) -> None:
        self.totals = totals
        self.faults = Path(faults)
        self.fractions = [1.0] * len(totals)
        self.held = 0
        self.cached = 0
        self.is_lost = False

    def install(self) -> None:
        """Put it in the place of torch's, for the rest of this process."""
        _fakes[:] = [self]
        worker.run_kernel = self.run_kernel
        for name, stands_in in {
            "is_initialized": lambda: True,
            "device_count": self.device_count,
            "device": lambda _: nullcontext(),
            "current_device": lambda: 0,
            "set_device": lambda _: None,
            "get_rng_state_all": list,
            "set_rng_state_all": lambda _: None,
            "get_device_properties": lambda index: SimpleNamespace(total_memory=self.totals[index]),
            "set_per_process_memory_fraction": self.set_fraction,
            "synchronize": self.run_kernel,
            "empty_cache": self.empty_cache,
            "memory_allocated": lambda _: self.held,
            "memory_reserved": lambda _: self.held + self.cached,
        }.items():
            setattr(torch.cuda, name, stands_in)

    def device_count(self) -> int:
        return 0 if (self.faults / "away").exists() else len(self.totals)

    def set_fraction(self, fraction: float, index: int) -> None:
        assert isinstance(fraction, float)  # as torch does
        assert 0 <= fraction <= 1
        self.fractions[index] = fraction

    def run_kernel(self, _: int) -> None:
        if (self.faults / "sick").exists():
            raise torch.AcceleratorError("CUDA error: unspecified launch failure")
        if self.is_lost:
            raise torch.AcceleratorError(ASSERTED)

    def allocate(self, size_bytes: int) -> object:
        limit = int(self.fractions[0] * self.totals[0])
        if self.held + size_bytes > limit:
            sizes = {"asked": size_bytes, "total": self.totals[0], "limit": limit}
            sizes |= {"held": self.held, "free": self.totals[0] - self.held}
            raise torch.OutOfMemoryError(
                FULL.format(**{name: size / GIB for name, size in sizes.items()})
            )
        return Block(self, size_bytes)

    def empty_cache(self) -> None:
        self.cached = 0


class Block:
    """Memory that is held; what is let go stays in the cache, as torch keeps it."""

    def __init__(self, cards: FakeCards, size_bytes: int) -> None:
        self.cards, self.size_bytes = cards, size_bytes
        self.me = self  # only the garbage collector lets it go, as with many a network
        cards.held += size_bytes

    def __del__(self) -> None:
        self.cards.held -= self.size_bytes
        self.cards.cached += self.size_bytes


_fakes: list[FakeCards] = []
