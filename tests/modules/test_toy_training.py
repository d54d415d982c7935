"""Training on toy tasks: the loss falls, and parts of it go on exactly."""

import pytest

from playground.errors import InvalidSpecError
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.starts import STARTS
from playground.modules.toy_training import STEPS, train


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
    assert len(training.losses) == 3 * STEPS
    assert sum(training.losses[-5:]) < sum(training.losses[:5])


def test_parts_continue_where_the_last_one_ended():
    text = STARTS["mlp"].to_json()
    first = train(text, b"", 0)

    assert train(text, first.state, 0).losses[:STEPS] == first.losses
    assert train(text, b"", 0).losses == first.losses


@pytest.mark.parametrize(
    "network",
    [
        Network(Block([Layer("ReLU")]), InputSpec((2, 4))),
        STARTS["translator"],
        STARTS["unet"],
        Network(
            Block([Layer.of("Linear", in_features=999, out_features=999)]), InputSpec((2, 999))
        ),
    ],
)
def test_what_has_nothing_to_learn_or_no_fitting_output_is_refused(network):
    with pytest.raises(InvalidSpecError):
        train(network.to_json(), b"", 0)
