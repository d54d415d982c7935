"""The caching allocator, against the rules of c10/cuda/CUDACachingAllocator.cpp."""

import random

import pytest

from playground.machines.simulated.allocator import CachingAllocator, NoRoomError

KIB, MIB, GIB = 2**10, 2**20, 2**30


@pytest.mark.parametrize(
    ("size", "allocated", "reserved"),
    [
        (1, 512, 2 * MIB),
        (MIB, MIB, 2 * MIB),
        (MIB + 1, MIB + 512, 20 * MIB),
        (10 * MIB - 512, 10 * MIB - 512, 20 * MIB),
        (10 * MIB, 10 * MIB, 10 * MIB),
        (11 * MIB, 12 * MIB, 12 * MIB),  # the rest, 1 MiB, is too little to split off
    ],
)
def test_the_allocator_rounds_blocks_and_segments(size, allocated, reserved):
    allocator = CachingAllocator(GIB)

    allocator.allocate(size)

    assert (allocator.allocated, allocator.reserved) == (allocated, reserved)


def test_the_allocator_reuses_and_merges_what_was_freed():
    allocator = CachingAllocator(GIB)
    blocks = [allocator.allocate(512 * KIB) for _ in range(4)]  # one small segment
    assert allocator.reserved == 2 * MIB

    for block in (blocks[1], blocks[3], blocks[2], blocks[0]):
        assert block is not None
        allocator.free(block)
    allocator.allocate(MIB)

    assert allocator.reserved == 2 * MIB
    allocator.empty_cache()
    assert allocator.reserved == 2 * MIB  # half of the segment is in use


def test_the_allocator_gives_unused_segments_back_before_it_refuses():
    allocator = CachingAllocator(64 * MIB)
    block = allocator.allocate(40 * MIB)
    assert block is not None
    allocator.free(block)

    allocator.allocate(50 * MIB)

    assert allocator.reserved == 50 * MIB
    with pytest.raises(NoRoomError):
        allocator.allocate(20 * MIB)


def test_the_allocator_keeps_its_books_over_a_long_random_life():
    draw = random.Random(0)
    allocator = CachingAllocator(4 * GIB)
    live: list[tuple[object, int]] = []
    for _ in range(3000):
        if live and draw.random() < 0.5:
            block, _ = live.pop(draw.randrange(len(live)))
            allocator.free(block)
        else:
            size = draw.choice((1, 700, 5000, 300_000, 2_000_000, 12_000_000))
            live.append((allocator.allocate(size), -(-size // 512) * 512))
    assert allocator.allocated >= sum(size for _, size in live)
    assert allocator.allocated <= allocator.reserved <= allocator.capacity

    for block, _ in live:
        allocator.free(block)
    allocator.empty_cache()

    assert (allocator.allocated, allocator.reserved) == (0, 0)
