"""The memory of one simulated device, allocated as CUDA's caching allocator does.

The rules are those documented in c10/cuda/CUDACachingAllocator.cpp: sizes are rounded to 512
bytes; small blocks (up to 1 MiB) are split from segments of 2 MiB, blocks below 10 MiB from
segments of 20 MiB; larger ones get a segment rounded to 2 MiB. A freed block stays reserved.
"""

from bisect import bisect_left, insort
from dataclasses import dataclass, field

from playground.units import MEBIBYTE

ROUND = 512
SMALL = MEBIBYTE
SMALL_SEGMENT = 2 * MEBIBYTE
MIDDLE = 10 * MEBIBYTE
MIDDLE_SEGMENT = 20 * MEBIBYTE
LARGE_ROUND = 2 * MEBIBYTE


class NoRoomError(Exception):
    """The device has no room for a segment; the caller raises torch's error."""


@dataclass(eq=False, slots=True)
class Block:
    """A part of one segment, in use or free; neighbours are linked so that they can merge."""

    address: int
    size: int
    is_small: bool
    is_free: bool = False
    before: "Block | None" = field(default=None, repr=False)
    after: "Block | None" = field(default=None, repr=False)


class CachingAllocator:
    """Counts what is allocated and reserved on one device, and refuses what does not fit."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.allocated = 0
        self.reserved = 0
        self.peak_allocated = 0
        self.peak_reserved = 0
        self._next_address = 0
        self._free: dict[bool, list[tuple[int, int, Block]]] = {True: [], False: []}

    def allocate(self, size_bytes: int) -> Block | None:
        """Allocate a block; an empty tensor needs none.

        Raises:
            NoRoomError: There is no room, even after unused segments are released.
        """
        if size_bytes == 0:
            return None
        size = -(-size_bytes // ROUND) * ROUND
        is_small = size <= SMALL
        block = self._take_free(size, is_small) or self._new_segment(size, is_small)
        self._split(block, size)
        self.allocated += block.size
        self.peak_allocated = max(self.peak_allocated, self.allocated)
        return block

    def fits(self, size_bytes: int) -> bool:
        """Return whether so many more bytes fit, once all unused segments are released."""
        return self.allocated + size_bytes <= self.capacity

    def free(self, block: Block) -> None:
        """Return a block to the cache: ``allocated`` shrinks, ``reserved`` does not."""
        self.allocated -= block.size
        before, after = block.before, block.after
        if after is not None and after.is_free:
            self._remove_free(after)
            _absorb(block, after)
        if before is not None and before.is_free:
            self._remove_free(before)
            _absorb(before, block)
            block = before
        self._add_free(block)

    def empty_cache(self) -> None:
        """Release every segment that is wholly unused."""
        for blocks in self._free.values():
            unused = [entry for entry in blocks if _is_whole_segment(entry[2])]
            for entry in unused:
                blocks.remove(entry)
                self.reserved -= entry[0]

    def reset_peaks(self) -> None:
        """Reset the peaks to the current figures."""
        self.peak_allocated = self.allocated
        self.peak_reserved = self.reserved

    def _take_free(self, size: int, is_small: bool) -> Block | None:
        blocks = self._free[is_small]
        position = bisect_left(blocks, (size,))  # best fit: the smallest that is large enough
        if position == len(blocks):
            return None
        block = blocks.pop(position)[2]
        block.is_free = False
        return block

    def _new_segment(self, size: int, is_small: bool) -> Block:
        if is_small:
            segment = SMALL_SEGMENT
        elif size < MIDDLE:
            segment = MIDDLE_SEGMENT
        else:
            segment = -(-size // LARGE_ROUND) * LARGE_ROUND
        if self.reserved + segment > self.capacity:
            self.empty_cache()
            if self.reserved + segment > self.capacity:
                raise NoRoomError
        self.reserved += segment
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        address = self._next_address
        self._next_address += segment
        return Block(address, segment, is_small)

    def _split(self, block: Block, size: int) -> None:
        remaining = block.size - size
        if remaining < ROUND if block.is_small else remaining <= SMALL:
            return
        rest = Block(block.address + size, remaining, block.is_small, False, block, block.after)
        if block.after is not None:
            block.after.before = rest
        block.after = rest
        block.size = size
        self._add_free(rest)

    def _add_free(self, block: Block) -> None:
        block.is_free = True
        insort(self._free[block.is_small], (block.size, block.address, block))

    def _remove_free(self, block: Block) -> None:
        block.is_free = False
        blocks = self._free[block.is_small]
        del blocks[bisect_left(blocks, (block.size, block.address))]


def _absorb(block: Block, after: Block) -> None:
    block.size += after.size
    block.after = after.after
    if after.after is not None:
        after.after.before = block


def _is_whole_segment(block: Block) -> bool:
    return block.before is None and block.after is None
