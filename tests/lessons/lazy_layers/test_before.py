import pytest
import torch
from torch import nn

from playground.lessons.lazy_layers.before import Before, Layer, Question
from tests.answers import answer_once

ANSWERS = {  # by hand, from PyTorch's own list of what an uninitialized parameter lets through
    Question.SHAPE: "RuntimeError",
    Question.SIZE: "works",
    Question.NUMEL: "ValueError",
    Question.DATA: "works",
    Question.DEVICE: "works",
    Question.DTYPE: "works",
    Question.BIAS: "works",
}


@pytest.mark.parametrize("layer", Layer)
@pytest.mark.parametrize("question", Question)
def test_only_what_needs_no_shape_is_answered(question, layer):
    answer = answer_once(Before(question=question, layer=layer))

    assert answer.prediction == ANSWERS[question]
    assert answer.is_silent_failure == (question in (Question.SIZE, Question.DATA))
    assert (answer.fix is not None) == (not answer.outcome.ok or answer.is_silent_failure)


def test_a_size_without_a_shape_is_that_of_an_empty_tensor():
    assert nn.LazyLinear(256).weight.size() == torch.Size([0])
    assert "torch.Size([0])" in answer_once(Before(question=Question.SIZE)).printed
