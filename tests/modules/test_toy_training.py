"""Training on toy tasks: the loss falls, parts of it go on exactly, and its weights travel."""

import io

import pytest
import torch

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.initialization.apply_to_all import ApplyToAll
from playground.lessons.parameters.all_names import AllNames
from playground.lessons.save_and_load.keys import Keys
from playground.lessons.save_and_load.model import Model
from playground.lessons.save_and_load.xray import WriteParameters
from playground.modules.digits import labelled_digits
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import PART_STEPS, to_link
from playground.modules.spec.starts import STARTS
from playground.modules.toy_training import train, trained_weights


@pytest.mark.parametrize(
    ("name", "task"),
    [("mlp", "spirals"), ("small_cnn", "digits"), ("gpt", "copy"), ("autoencoder", "spirals")],
)
def test_the_loss_falls_on_the_task_of_the_input(name, task):
    text, state = STARTS[name].to_json(), b""
    for _ in range(3):
        training = train(text, state, 0)
        state = training.state

    assert training.task == task
    assert training.flow.values
    assert len(training.losses) == 3 * PART_STEPS
    assert sum(training.losses[-5:]) < sum(training.losses[:5])


def test_parts_continue_where_the_last_one_ended():
    text = STARTS["mlp"].to_json()
    first = train(text, b"", 0)
    assert train(text, first.state, 0).losses[:PART_STEPS] == first.losses
    assert train(text, b"", 0).losses == first.losses


@pytest.mark.parametrize(
    "network",
    [
        Network(Block([Layer("ReLU")]), InputSpec((2, 4))),
        STARTS["translator"],
        STARTS["unet"],
        STARTS["broken"],
        Network(Layer.of("Linear", in_features=999, out_features=999), InputSpec((2, 999))),
    ],
)
def test_what_has_nothing_to_learn_no_fitting_output_or_does_not_run_is_refused(network):
    with pytest.raises(InvalidSpecError):
        train(network.to_json(), b"", 0)


def weights(data):
    return torch.load(io.BytesIO(data), weights_only=True)


@pytest.mark.parametrize("name", ["mlp", "gpt", "small_cnn", "shared"])
def test_a_lesson_loads_the_weights_that_the_builder_trained(name):
    expected = weights(train(STARTS[name].to_json(), b"", 0).state)["net"]
    link = f"{to_link(STARTS[name])}.{PART_STEPS}"
    listed = AllNames(network=link)

    assert listed.experiment().outcome.ok
    files = [
        trained_weights(STARTS[name].to_json(), PART_STEPS),
        listed.written_file("trained.pt"),
        Model(network=link).written_file("mlp.params"),
        Keys(network=link).written_file("net.params"),
        WriteParameters(network=STARTS[name].to_json(), steps=PART_STEPS).experiment().data,
    ]
    for data in files:
        torch.testing.assert_close(weights(data), expected, rtol=0, atol=0)
    assert ApplyToAll(network=link).experiment().outcome.ok
    for step in (listed, Model(network=link), Keys(network=link, is_swapped=True)):
        assert "trained.pt" in step.files().downloads


@pytest.mark.parametrize("steps", [".7", ".0", ".325", ".25.25", ".-25", ".9999"])
def test_a_link_with_a_number_of_steps_that_no_training_has_is_refused(steps):
    with pytest.raises(InvalidSettingError):
        AllNames(network=to_link(STARTS["mlp"]) + steps)


def test_a_network_that_was_not_trained_brings_no_file():
    step = AllNames(network=to_link(STARTS["mlp"]))
    assert step.files() is None
    assert "trained.pt" not in step.program()


def test_the_digits_are_those_of_the_data_set():
    images, labels = labelled_digits()

    assert labels.bincount().tolist() == [20] * 10
    assert (images.min(), images.max()) == (0, 1)
    # the first row of the test part of optdigits, as the UCI repository has it, is a zero
    assert (16 * images[0, 0]).tolist() == [0, 0, 5, 13, 9, 1, 0, 0]
