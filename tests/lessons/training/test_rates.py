import pytest

from playground.lessons.training.definitions import Dataset, Optimizer
from playground.lessons.training.rates import Rates
from tests.answers import answer_once, assert_answer
from tests.lessons.training.plain_loop import plain_losses


def test_each_rate_is_a_run_of_its_own():
    answer = answer_once(Rates(epochs=5))

    for name, each in zip(("0.01", "0.1", "1", "10"), answer.data, strict=True):
        assert (each.name, list(each.losses)) == (name, plain_losses(5, lr=float(name)))


@pytest.mark.parametrize("dataset", Dataset)
def test_plain_sgd_has_a_best_rate_between_too_small_and_too_large(dataset):
    answer = answer_once(Rates(dataset=dataset))
    smallest, *middle, largest = (each.losses[-1] for each in answer.data)

    assert answer.prediction in ("0.1", "1")
    assert min(middle) < min(smallest, largest)


def test_another_optimizer_has_another_best_rate():
    best = {each: answer_once(Rates(optimizer=each)).prediction for each in Optimizer}
    assert best[Optimizer.SGD] != best[Optimizer.ADAM]
    untrained = f"{plain_losses(1, lr=0)[0]:.3g}"  # no rate changes nothing
    assert_answer(Rates(optimizer=Optimizer.ADAM), explanation="any", untrained=untrained)
