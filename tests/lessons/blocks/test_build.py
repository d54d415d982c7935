import re
from typing import Any

import pytest

from playground import catalog
from playground.lessons.blocks.build import Build, Start
from playground.modules.graph import layer_paths
from playground.modules.source import as_class
from playground.modules.spec import Block, Layer, Network
from playground.modules.spec.link import to_link
from playground.modules.spec.presets import BUILDER_PRESETS
from tests.answers import answer_once, assert_answer
from tests.lessons.blocks.misfits import MISFITS, linear
from tests.lessons.steps import visitors

QUESTION = catalog.lesson("blocks").step("build").prediction.question


def run(program: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "shown"}
    exec(program, names)
    return names


@pytest.mark.parametrize("start", Start)
def test_both_shown_programs_do_what_the_builder_says(start):
    step = Build(start=start)
    answer = answer_once(step)
    for program in (step.program(), as_class(step.spec, seed=0, run=True)):
        if not answer.outcome.ok:
            with pytest.raises(RuntimeError, match=re.escape(answer.outcome.message)):
                run(program)
            continue
        names = run(program)
        shape, count = tuple(names["Y"].shape), sum(p.numel() for p in names["net"].parameters())
        assert_answer(step, output_shape=str(shape), parameters=f"{count:,}")


def test_the_program_of_a_start_has_a_name_for_every_ready_network():
    assert [each.value for each in Start] == list(BUILDER_PRESETS)
    assert next(iter(Start)) is Start.MLP  # the first template is the network of the lesson


@pytest.mark.parametrize(
    ("start", "largest"),
    [
        (Start.MLP, "0 Linear"),
        (Start.SMALL_CNN, "7 Linear"),
        (Start.TRANSFORMER, "several"),  # two encoder layers of 8,544, all that is inside counted
        (Start.RESIDUAL, "several"),  # two convolutions of 2,320
        (Start.AUTOENCODER, "decoder.2 Linear"),  # in a Sequential of 2,400
        (Start.BRANCHES, "1.2.2 Conv2d"),  # in a Concatenate of 1,500
        (Start.SHARED, "0 Linear"),  # used three times, counted once
    ],
)
def test_the_largest_layer_counts_what_is_inside_and_ties_are_said(start, largest):
    step = Build(start=start)
    answer = assert_answer(step, prediction=largest)

    assert {"Sequential", "Residual", "Concatenate"} == {*re.findall(r"`(\w+)`", QUESTION.en)}
    assert largest in step.choices(())
    tied = [each for each in step.choices(()) if answer.is_right(each)]
    assert len(tied) == (3 if largest == "several" else 1)


def test_the_largest_of_many_layers_is_among_the_answers():
    step = Build(network=visitors(*[linear(4, 4)] * 9, linear(4, 400), shape=(2, 4)))
    assert_answer(step, prediction="9 Linear")
    assert "9 Linear" in step.choices(())


@pytest.mark.parametrize("explanation", MISFITS)
def test_a_network_that_does_not_fit_is_explained(explanation):
    ok = explanation == "nothing-in-it"
    answer = assert_answer(Build(network=MISFITS[explanation]), explanation=explanation, ok=ok)
    assert bool(answer.stopped_at) is not ok


def test_images_that_come_to_a_linear_layer_want_to_be_flattened():
    """The last layer of the broken start, once its convolution fits."""
    broken = BUILDER_PRESETS["broken"]
    children = list(broken.block.children)
    children[3] = Layer("Conv2d", {**children[3].keywords, "in_channels": 8})
    step = Build(network=to_link(Network(Block(children), broken.input)))

    assert_answer(step, explanation="needs-flatten", shape="(2, 16, 8, 8)")


def test_copies_are_layers_of_their_own():
    block = Block([Layer("ReLU", times=2), Block([Layer("Tanh")], name="inner")])
    assert [path for path, _ in layer_paths(block)] == ["0", "1", "inner.0"]
