import pytest

from playground.lessons.parameters.all_names import AllNames, Middle, Part
from playground.modules.spec import Layer
from tests.answers import answer_once, assert_answer
from tests.lessons.blocks.misfits import linear
from tests.lessons.steps import visitors


@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("middle", Middle)
@pytest.mark.parametrize("bias", [False, True])
def test_every_tensor_of_the_part_is_listed(part, middle, bias):
    step = AllNames(part=part, middle=middle, bias=bias)
    answer = answer_once(step)

    listed = {  # by hand: a linear layer has a weight and a bias, batch normalization as well
        Part.FIRST: 2,
        Part.MIDDLE: 2 if middle is Middle.BATCH_NORM else 0,
        Part.LAST: 2 if bias else 1,
    }
    assert answer.prediction == str(sum(listed.values()) if part is Part.NET else listed[part])
    assert answer.prediction in step.choices(())
    printed = [each.printed for each in answer.lines if each.number == step.asked_line()]
    assert "".join(printed).count("\n") == int(answer.prediction)


@pytest.mark.parametrize("settings", [{}, {"middle": Middle.BATCH_NORM, "bias": True}])
def test_no_other_count_of_the_network_is_right_by_accident(settings):
    """Tensors are asked for: as many modules or layers would make a wrong idea right (E13)."""
    facts = answer_once(AllNames(**settings)).facts

    counts = [facts[name] for name in ("tensors", "layers", "modules")]
    assert len({*counts, int(facts["numbers"])}) == 4
    assert facts["tensors"] != facts["modules"] - 1  # the children alone


def test_names_begin_at_the_part():
    assert_answer(AllNames(part=Part.FIRST), name="weight", shape="(8, 4)")


@pytest.mark.parametrize(
    ("layers", "prediction"),
    [
        ([linear(5, 2)], "as_many"),  # and the block itself
        ([Layer("ReLU"), linear(5, 2, bias=False)], "fewer"),
        ([Layer.of("LSTM", input_size=3, hidden_size=2)], "more"),
        ([Layer.of("LazyLinear", out_features=2)], "RuntimeError"),
    ],
)
def test_a_network_of_the_builder_is_listed(layers, prediction):
    assert_answer(AllNames(network=visitors(*layers)), prediction=prediction)
