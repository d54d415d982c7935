import pytest
import torch
from torch import nn

from playground import catalog
from playground.lessons.training.clip import Clip, Method, Place
from tests.answers import answer_once, assert_answer


def gradient(factor: float) -> torch.Tensor:
    """That of the program's loss, by hand: the gradient of a mean of log-softmax."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
    X, y = torch.randn(40, 2), torch.arange(40) % 2
    loss = -factor * torch.log_softmax(net(X), 1)[torch.arange(40), y].mean()
    return torch.cat([each.flatten() for each in torch.autograd.grad(loss, [*net.parameters()])])


def test_by_default_it_clips_to_the_limit_and_keeps_the_direction():
    answer = assert_answer(Clip(), prediction="the_limit", cosine="1.0000")

    assert answer.data == pytest.approx((gradient(100).norm().item(), 0.5), rel=1e-4)
    assert "nn.utils.clip_grad_norm_(" in Clip().program()


@pytest.mark.parametrize(("factor", "limit"), [(1, 10.0), (1, 0.01), (1000, 10.0)])
def test_the_norm_is_the_smaller_of_the_two(factor, limit):
    norm = gradient(factor).norm().item()
    prediction = "the_limit" if norm > limit else "unchanged"

    answer = assert_answer(Clip(factor=factor, limit=limit), prediction=prediction)
    assert answer.data[1] == pytest.approx(min(norm, limit), rel=1e-4)


def test_clipping_each_entry_turns_the_gradient():
    answer = answer_once(Clip(method=Method.VALUE))

    whole = gradient(100)
    clipped = whole.clamp(-0.5, 0.5)
    cosine = (whole @ clipped / whole.norm() / clipped.norm()).item()
    assert answer.data[1] == pytest.approx(clipped.norm().item(), rel=1e-4)
    assert float(answer.facts["cosine"]) == pytest.approx(cosine, abs=1e-3)
    assert cosine < 0.9


def test_before_the_backward_pass_nothing_is_clipped_and_nothing_is_said():
    assert_answer(Clip(place=Place.BEFORE), ok=True, is_silent=True, prediction="unchanged")


def test_both_languages_name_it_as_the_books_do():
    step = catalog.lesson("training").step("clip")
    assert "梯度裁剪" in step.title.zh
    for text in (step.prose.en, step.prose.zh):
        assert "torch.nn.utils.clip_grad_norm_" in text
