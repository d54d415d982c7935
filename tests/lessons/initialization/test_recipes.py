"""Rules over a whole network, against the same rules in bare torch."""

import math

import pytest
import torch
from torch import nn

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.initialization.experiment import apply_per_layer, apply_to_all
from playground.lessons.initialization.records import (
    ApplyPerLayer,
    ApplyToAll,
    Reach,
    Recipe,
    RecipeReport,
    Way,
)
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.starts import SMALL_CNN, TRANSFORMER

LAZY = Network(Block([Layer.of("LazyLinear", out_features=4)]), InputSpec((2, 3)))
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


def means(report: RecipeReport) -> dict[str, float]:
    return {row.path: row.after.mean for row in report.rows}


def mlp() -> nn.Sequential:
    """The lesson's network, as bare torch makes it."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))


def test_apply_calls_the_function_with_children_first() -> None:
    report = apply_to_all(ApplyToAll())

    assert report.visited == ("Linear", "ReLU", "Linear", "Sequential")
    assert report.actual == "4"
    assert report.actual in report.answers


def test_init_normal_is_what_bare_torch_gives() -> None:
    net = mlp()
    for layer in (net[0], net[2]):
        nn.init.normal_(layer.weight, mean=0.0, std=0.01)
        nn.init.zeros_(layer.bias)

    report = apply_to_all(ApplyToAll())

    assert means(report) == pytest.approx(
        {name: each.mean().item() for name, each in net.named_parameters()}, abs=1e-7
    )
    assert report.rows[0].after.std == pytest.approx(0.01, rel=4 / math.sqrt(2 * 5120))
    assert report.rows[0].before.std == pytest.approx(1 / math.sqrt(60), rel=0.05)
    assert report.rows[1].after.zero_fraction == 1
    assert report.touched == 4


def test_init_constant_leaves_one_value_in_each_weight() -> None:
    report = apply_to_all(ApplyToAll(recipe=Recipe.CONSTANT))

    assert means(report) == {"0.weight": 1.0, "0.bias": 0.0, "2.weight": 1.0, "2.bias": 0.0}
    assert {row.distinct for row in report.rows} == {1}
    assert report.why == "applied-constant"


def test_a_rule_by_hand_reaches_convolutions_only_where_it_means_them() -> None:
    rule = {"recipe": Recipe.BY_HAND, "initializer": "ones_", "network": SMALL_CNN.to_json()}
    linear = apply_to_all(ApplyToAll(**rule))  # type: ignore[arg-type]
    every = apply_to_all(ApplyToAll(**rule, reach=Reach.MATRICES))  # type: ignore[arg-type]

    assert [row.path for row in linear.rows if row.is_touched] == ["7.weight", "7.bias"]
    assert every.touched == len(every.rows) == 6


def test_layers_without_a_bias_are_no_obstacle() -> None:
    report = apply_to_all(ApplyToAll(network=TRANSFORMER.to_json(), reach=Reach.MATRICES))
    touched = {row.path for row in report.rows if row.is_touched}

    assert report.outcome.ok
    assert "embedding.weight" in touched
    assert "encoder0.norm1.weight" not in touched


def test_an_initialiser_that_cannot_act_on_a_layer_answers_in_torchs_words() -> None:
    report = apply_to_all(ApplyToAll(recipe=Recipe.BY_HAND, initializer="dirac_"))

    assert report.outcome.error_type == "ValueError"
    assert report.outcome.message == "Only tensors with 3, 4, or 5 dimensions are supported"
    assert report.why == "refused"


def test_by_place_xavier_comes_first_and_forty_two_last() -> None:
    net = mlp()
    nn.init.xavier_uniform_(net[0].weight)
    nn.init.constant_(net[2].weight, 42)

    report = apply_per_layer(ApplyPerLayer())

    assert means(report) == pytest.approx(
        {name: each.mean().item() for name, each in net.named_parameters()}, abs=1e-7
    )
    assert [row.is_touched for row in report.rows] == [True, False, True, False]
    assert report.rows[0].after.most <= math.sqrt(6 / 276)
    assert report.actual == "default"


def test_by_type_the_others_get_the_value() -> None:
    report = apply_per_layer(
        ApplyPerLayer(way=Way.TYPE, type_name="Linear", network=SMALL_CNN.to_json(), value=3.0)
    )

    assert means(report)["0.weight"] == means(report)["3.weight"] == 3.0
    assert report.rows[4].path == "7.weight"
    assert report.rows[4].distinct > 1000


def test_by_name_only_what_fits_is_filled() -> None:
    report = apply_per_layer(ApplyPerLayer(way=Way.NAME, pattern="*.bias", value=0.5))

    assert [row.path for row in report.rows if row.is_touched] == ["0.bias", "2.bias"]
    assert report.actual == "value"
    assert means(report)["2.bias"] == 0.5


@pytest.mark.parametrize(
    ("settings", "key", "field"),
    [
        (ApplyPerLayer(way=Way.NAME, pattern="*.wait"), "matches_nothing", "pattern"),
        (ApplyPerLayer(way=Way.TYPE, type_name="Conv3d"), "matches_nothing", "type_name"),
        (ApplyPerLayer(network=BARE.to_json()), "matches_nothing", "network"),
        (ApplyPerLayer(network=LAZY.to_json()), "lazy_parameter", "network"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(
    settings: ApplyPerLayer, key: str, field: str
) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        apply_per_layer(settings)

    assert refused.value.key == key
    assert refused.value.field == field


def test_a_network_that_cannot_be_made_is_refused() -> None:
    wrong = Network(Block([Layer.of("Linear", in_features=3)]), InputSpec((2, 3)))

    with pytest.raises(InvalidSpecError):
        apply_to_all(ApplyToAll(network=wrong.to_json()))


def test_a_network_without_a_layer_that_is_meant_is_left_as_it_is() -> None:
    report = apply_to_all(ApplyToAll(network=BARE.to_json()))

    assert report.why == "nothing-touched"
    assert report.rows == ()
