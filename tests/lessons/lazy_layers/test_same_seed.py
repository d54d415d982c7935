import itertools

import pytest

from playground.lessons.lazy_layers.same_seed import Batch, Between, First, Last, SameSeed
from tests.answers import answer_once, assert_answer


def test_a_layer_agrees_if_and_only_if_the_same_was_drawn_before_it():
    """The recorded order explains every combination; PyTorch's own numbers are the oracle."""
    for first, last, between, batch in itertools.product(First, Last, Between, Batch):
        step = SameSeed(first=first, last=last, between=between, batch=batch)
        draws = answer_once(step).data
        same_before = {
            name
            for name in ("first", "last")
            if draws.eager[: draws.eager.index(name)] == draws.lazy[: draws.lazy.index(name)]
        }

        assert {*draws.equal} == same_before, step


def test_drawing_later_alone_changes_nothing():
    assert_answer(SameSeed(), prediction="all_equal")
    assert_answer(SameSeed(first=First.EAGER), prediction="all_equal")


@pytest.mark.parametrize(
    ("step", "prediction", "explanation"),
    [
        (SameSeed(last=Last.EAGER), "none_equal", "order-differs"),
        (SameSeed(batch=Batch.RANDOM), "none_equal", "batch-came-first"),
        (SameSeed(between=Between.DROPOUT), "some_equal", "mask-came-between"),
    ],
)
def test_each_trap_has_its_reason(step, prediction, explanation):
    assert_answer(step, prediction=prediction, explanation=explanation)
