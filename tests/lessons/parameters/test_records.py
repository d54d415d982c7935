"""Settings refuse what cannot be, and what a report shows stays small."""

import pickle

import pytest

from playground import compute
from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.parameters.records import (
    RGNET,
    FeedNetwork,
    FreezeByName,
    KeepState,
    ListParameters,
    NameParameters,
    OpenLayer,
    ReachParameter,
    SetValue,
)
from playground.lessons.parameters.records.views import MOST_COLUMNS, MOST_ROWS, wrong_paths
from playground.modules.spec import Block, InputSpec, Layer, Network
from tests.turns import in_turn

EVERY = [
    *(ListParameters, OpenLayer, NameParameters, KeepState),
    *(ReachParameter, FeedNetwork, FreezeByName, SetValue),
]


@in_turn("settings", EVERY)
@pytest.mark.parametrize("text", ["", "{}", "☃", '{"network": 3, "input": []}'])
def test_what_is_no_network_is_refused(settings, text):
    with pytest.raises(InvalidSpecError):
        settings(network=text)


@pytest.mark.parametrize("settings", EVERY)
def test_a_network_that_is_no_text_is_refused(settings):
    with pytest.raises(InvalidSettingError):
        settings(network=3)


@in_turn("seed", [-1, 10_000, True, 1.5, "1"])
@pytest.mark.parametrize("settings", EVERY[1:])
def test_a_seed_out_of_range_is_refused(settings, seed):
    with pytest.raises(InvalidSettingError) as caught:
        settings(seed=seed)

    assert caught.value.field == "seed"


@pytest.mark.parametrize(
    ("settings", "values"),
    [
        (FeedNetwork, {"examples": 1}),
        (FeedNetwork, {"scale": 0}),
        (SetValue, {"rank": 3}),
        (SetValue, {"way": "by_magic"}),
        (OpenLayer, {"path": "x" * 601}),
        (FreezeByName, {"pattern": "*" * 65}),
        (NameParameters, {"part": "net[7]"}),
        (NameParameters, {"part": "__import__('os')"}),
    ],
)
def test_a_value_out_of_range_is_refused(settings, values):
    with pytest.raises(InvalidSettingError) as caught:
        settings(**values)

    assert caught.value.field in values


def test_a_large_parameter_is_cut_and_travels_light():
    wide = Layer.of("Linear", in_features=1000, out_features=1000)
    network = Network(Block([wide]), InputSpec((2, 1000))).to_json()
    with compute.running_inline():
        report = compute.run(ReachParameter(network=network, path="0.weight"))

    grid = report.values.grid
    assert (len(grid), len(grid[0])) == (MOST_ROWS, MOST_COLUMNS)
    assert report.values.is_cut
    assert report.values.shape == (1000, 1000)
    assert len(pickle.dumps(report)) < 30_000


def test_the_right_path_is_among_four_at_most_and_none_is_there_twice():
    paths = wrong_paths("rgnet[0][1][0].bias", "rgnet", "0.block 1.0.bias")

    assert "rgnet[0][1][0].bias" in paths
    assert len(paths) == len(set(paths)) == 4
    assert len(wrong_paths("net.weight", "net", "weight")) == 2


def test_the_nested_network_fits_into_a_link():
    assert Network.from_json(RGNET.to_json()) == RGNET
