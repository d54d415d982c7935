import pytest
import torch
from torch import nn

from playground.lessons.lazy_layers.before import Before, Layer, Question
from tests.answers import answer_once, assert_answer

ANSWERS = {  # by hand, from PyTorch's own list of what an uninitialized parameter lets through
    **dict.fromkeys(Question, "works"),
    Question.SHAPE: "RuntimeError",
    Question.NUMEL: "ValueError",
}
SILENT = (Question.SIZE, Question.DATA)


@pytest.mark.parametrize("layer", Layer)
@pytest.mark.parametrize("question", Question)
def test_only_what_needs_no_shape_is_answered(question, layer):
    step, is_silent = Before(question=question, layer=layer), question in SILENT
    answer = assert_answer(step, prediction=ANSWERS[question], is_silent=is_silent)

    assert (answer.fix is not None) == (is_silent or not answer.outcome.ok)


def test_a_size_without_a_shape_is_that_of_an_empty_tensor():
    assert nn.LazyLinear(256).weight.size() == torch.Size([0])
    assert "torch.Size([0])" in answer_once(Before(question=Question.SIZE)).printed
