import itertools

import pytest

from playground.lessons.timing import lanes
from playground.lessons.timing.timeline import Memory, Timeline, Wait
from tests.answers import answer_once, assert_answer

EVERY = [
    Timeline(source=memory, non_blocking=flag, wait=wait, on_second_stream=second)
    for memory, flag, wait, second in itertools.product(Memory, (True, False), Wait, (True, False))
]


def done(step: Timeline) -> tuple[bool, bool]:
    """Return whether X and Y are done; the copy is queued after the product."""
    is_one_stream, by_copy = not step.on_second_stream, not step.non_blocking
    by_sync, by_item = step.wait is Wait.SYNCHRONIZE, step.wait is Wait.ITEM
    x = by_sync or by_copy or (by_item and is_one_stream)
    y = by_sync or by_item or (by_copy and is_one_stream)
    return x, y


@pytest.mark.parametrize("step", EVERY)
def test_what_is_done_follows_from_the_calls(step):
    names = {(1, 1): "both", (1, 0): "X", (0, 1): "Y", (0, 0): "neither"}

    answer = assert_answer(step, ok=True, prediction=names[done(step)])
    copies = [each for each in answer.data if each.name == "to"]
    assert [each.is_staged for each in copies] == [step.source is Memory.PAGEABLE]
    assert copies[0].stream == step.on_second_stream


@pytest.mark.parametrize("step", EVERY)
def test_the_picture_keeps_the_order_of_each_lane(step):
    calls = answer_once(step).data
    found, reached = lanes.blocks(calls)

    for lane in (0, 1, 2):
        mine = [each for each in found if each.lane == lane]
        assert all(a.end <= b.begin for a, b in itertools.pairwise(mine))
    work = [each for each in found if each.kind == "work"]
    assert all((each.end <= reached) == each.is_certain for each in work)
    called = [each for each in found if each.kind == "call"]
    queued = [end.end for call, end in zip(calls, called, strict=True) if call.is_queued]
    assert all(block.begin >= end for block, end in zip(work, queued, strict=True))


def test_from_pageable_memory_python_is_busy_and_from_pinned_it_goes_on():
    answers = [answer_once(Timeline(source=memory)) for memory in Memory]
    pageable, pinned = (lanes.blocks(each.data) for each in answers)

    assert "staging" in {each.kind for each in pageable[0]}
    assert {each.kind for each in pinned[0] if each.lane == 0} == {"call"}
    assert pinned[1] < pageable[1]
