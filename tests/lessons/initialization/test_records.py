"""What the settings of initialization refuse, and what they take."""

from typing import Any

import pytest

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.lessons.initialization.records import (
    ApplyPerLayer,
    CountFans,
    FollowOwnRule,
    Initialize,
    ReadDefault,
    read_shape,
)
from playground.modules.spec import Layer
from tests.turns import in_turn


def test_arguments_are_taken_as_a_mapping_or_as_pairs() -> None:
    mapped = Initialize(initializer="normal_", arguments={"mean": 1, "std": 0.5})
    paired = Initialize(initializer="normal_", arguments=(("mean", 1), ("std", 0.5)))

    assert mapped == paired
    assert hash(mapped) == hash(paired)
    assert mapped.pairs == (("mean", 1), ("std", 0.5))


def test_a_layer_is_taken_as_a_record_as_json_or_by_its_name() -> None:
    layer = Layer.of("Conv2d", in_channels=1, out_channels=2, kernel_size=3)

    assert Initialize(layer=layer) == Initialize(layer=layer.to_json())
    assert Initialize(layer="Conv2d").layer == Layer("Conv2d")
    assert Initialize().layer == Layer.of("Linear", in_features=20, out_features=256)


@in_turn(
    ("values", "field"),
    [
        ({"initializer": "normal_; import os"}, "initializer"),
        ({"initializer": "_x" * 40}, "initializer"),
        ({"initializer": "sparse_", "arguments": {"sparsity": 1.01}}, "sparsity"),
        ({"initializer": "sparse_", "arguments": {"sparsity": -0.5}}, "sparsity"),
        ({"initializer": "trunc_normal_", "arguments": {"std": -1}}, "std"),
        ({"arguments": {"gain": float("nan")}}, "gain"),
        ({"arguments": {"gain": 1e9}}, "gain"),
        ({"arguments": {"gain": None}}, "gain"),
        ({"arguments": {"g ain": 1}}, "arguments"),
        ({"arguments": (("gain", 1), ("gain", 2))}, "arguments"),
        ({"arguments": ("gain",)}, "arguments"),
        ({"shape": ()}, "shape"),
        ({"shape": (0, 3)}, "shape"),
        ({"shape": (3, 2.5)}, "shape"),
        ({"shape": "34"}, "shape"),
        ({"shape": (10_001, 1000)}, "shape"),
        ({"shape": (1,) * 7}, "shape"),
        ({"shape": (2, 2), "layer": "Linear"}, "shape"),
        ({"layer": 5}, "layer"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
    ],
)
def test_what_is_out_of_range_is_refused_by_its_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        Initialize(**values)

    assert refused.value.field == field


@pytest.mark.parametrize("text", ["", "a, b", "3,,0", "-3", "3.5", "1" * 12, "99999999"])
def test_a_text_that_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        read_shape(text)

    assert refused.value.field == "shape"


@pytest.mark.parametrize("kind", [ReadDefault, ApplyPerLayer])
def test_what_is_no_network_is_refused(kind: Any) -> None:
    with pytest.raises(InvalidSpecError):
        kind(network="{}")


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        (FollowOwnRule, {"bound": 0.0}, "bound"),
        (FollowOwnRule, {"threshold": -1.0}, "threshold"),
        (FollowOwnRule, {"spelling": "other"}, "spelling"),
        (CountFans, {"layout": "other"}, "layout"),
        (CountFans, {"mode": "fan"}, "mode"),
        (ApplyPerLayer, {"value": float("inf")}, "value"),
        (ApplyPerLayer, {"pattern": "*" * 65}, "pattern"),
        (ReadDefault, {"parameter": "x" * 500}, "parameter"),
    ],
)
def test_the_other_settings_refuse_too(kind: Any, values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        kind(**values)

    assert refused.value.field == field
