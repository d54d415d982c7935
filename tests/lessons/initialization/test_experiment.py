"""The initialisers against closed forms that are typed here, and torch's own words."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from playground.errors import InvalidSettingError
from playground.lessons.initialization.experiment import (
    count_fans,
    follow_own_rule,
    initialize,
    list_initialisers,
    list_parameters,
    read_default,
)
from playground.lessons.initialization.records import (
    CountFans,
    FollowOwnRule,
    Initialize,
    InitializeReport,
    Layout,
    ListInitialisers,
    ListParameters,
    Mode,
    ReadDefault,
    Spelling,
)
from playground.modules.initialiser_types import MOST_VALUES
from playground.modules.spec import Layer, Network
from playground.modules.spec.starts import RESIDUAL, TRANSFORMER
from tests.turns import in_turn

INSIDE = 0.6826894921370859  # of a normal distribution, within one standard deviation
PEAK = math.exp(-0.5) / math.sqrt(2 * math.pi)  # its density there

# initialiser, arguments, shape, expected mean, expected std
CLOSED_FORMS: list[tuple[str, dict[str, Any], tuple[int, ...], float, float]] = [
    ("uniform_", {}, (300, 200), 0.5, 1 / math.sqrt(12)),
    ("uniform_", {"a": -3.0, "b": 1.0}, (300, 200), -1.0, 4 / math.sqrt(12)),
    ("normal_", {}, (300, 200), 0.0, 1.0),
    ("normal_", {"mean": 2.0, "std": 0.01}, (300, 200), 2.0, 0.01),
    ("constant_", {"val": 0.5}, (30, 20), 0.5, 0.0),
    ("ones_", {}, (7,), 1.0, 0.0),
    ("zeros_", {}, (7,), 0.0, 0.0),
    ("eye_", {}, (3, 5), 3 / 15, math.sqrt(3 / 15 * 12 / 15)),
    ("dirac_", {}, (4, 2, 3, 3), 2 / 72, math.sqrt(2 / 72 * 70 / 72)),
    ("dirac_", {"groups": 2}, (4, 2, 3), 4 / 24, math.sqrt(4 / 24 * 20 / 24)),
    ("xavier_uniform_", {}, (256, 20), 0.0, math.sqrt(2 / 276)),
    ("xavier_uniform_", {"gain": 3.0}, (64, 3, 5, 5), 0.0, 3 * math.sqrt(2 / (75 + 1600))),
    ("xavier_normal_", {}, (256, 20), 0.0, math.sqrt(2 / 276)),
    ("kaiming_uniform_", {}, (256, 20), 0.0, math.sqrt(2 / 20)),
    ("kaiming_uniform_", {"a": math.sqrt(5)}, (256, 20), 0.0, 1 / math.sqrt(3 * 20)),
    ("kaiming_normal_", {"mode": "fan_out"}, (64, 3, 5, 5), 0.0, math.sqrt(2 / 1600)),
    ("kaiming_normal_", {"nonlinearity": "tanh"}, (256, 20), 0.0, 5 / 3 / math.sqrt(20)),
    ("kaiming_normal_", {"nonlinearity": "linear"}, (256, 20), 0.0, 1 / math.sqrt(20)),
    ("kaiming_normal_", {"nonlinearity": "selu"}, (256, 20), 0.0, 0.75 / math.sqrt(20)),
    (
        "trunc_normal_",
        {"a": -1.0, "b": 1.0},
        (300, 200),
        0.0,
        math.sqrt(1 - 2 * PEAK / INSIDE),
    ),
    (  # the upper half of a normal distribution
        "trunc_normal_",
        {"mean": 3.0, "std": 2.0, "a": 3.0, "b": 100.0},
        (300, 200),
        3 + 2 * math.sqrt(2 / math.pi),
        2 * math.sqrt(1 - 2 / math.pi),
    ),
    ("orthogonal_", {}, (50, 80), 0.0, 1 / math.sqrt(80)),
    ("orthogonal_", {"gain": 2.0}, (80, 5, 2, 2), 0.0, 2 / math.sqrt(80)),
    ("sparse_", {"sparsity": 0.33, "std": 0.5}, (10, 400), 0.0, 0.5 * math.sqrt(6 / 10)),
    ("sparse_", {"sparsity": 1.0}, (10, 40), 0.0, 0.0),
]


def plain(settings: Initialize) -> torch.Tensor:
    """The tensor, as bare torch makes it."""
    torch.manual_seed(settings.seed)
    assert settings.shape is not None
    tensor: torch.Tensor = getattr(nn.init, settings.initializer)(
        torch.empty(settings.shape), **dict(settings.pairs)
    )
    return tensor


@in_turn(("name", "arguments", "shape", "mean", "std"), CLOSED_FORMS)
def test_moments_agree_with_the_closed_form_and_with_torch(
    name: str, arguments: dict[str, Any], shape: tuple[int, ...], mean: float, std: float
) -> None:
    settings = Initialize(initializer=name, arguments=arguments, shape=shape, seed=3)
    report = initialize(settings)
    values = plain(settings)

    assert report.outcome.ok
    assert report.expected_mean == pytest.approx(mean, abs=1e-9)
    assert report.expected_std == pytest.approx(std, abs=1e-9)
    assert report.mean == pytest.approx(values.mean().item(), abs=1e-6)
    assert report.std == pytest.approx(values.std().item(), abs=1e-6)
    assert report.zero_fraction == pytest.approx((values == 0).float().mean().item())
    for difference in (report.mean_difference, report.std_difference):
        assert difference is None or abs(difference) < 4
    assert (report.mean_difference is None) == (std == 0 or name in {"eye_", "dirac_"})


def test_every_initialiser_of_torch_has_a_closed_form_here() -> None:
    public = {name for name in vars(nn.init) if name.endswith("_") and not name.startswith("_")}

    found = {each.name for each in list_initialisers(ListInitialisers()).initialisers}

    assert found == public == {name for name, *_ in CLOSED_FORMS}


def test_a_histogram_counts_every_value_where_numpy_counts_it() -> None:
    settings = Initialize(initializer="normal_", shape=(40, 50), seed=7)
    report = initialize(settings)

    counts, _ = np.histogram(plain(settings).double().numpy(), np.array(report.edges))

    assert sum(report.counts) == 2000
    assert sum(abs(a - b) for a, b in zip(report.counts, counts, strict=True)) <= 2
    assert report.edges[0] == plain(settings).min().item()


@pytest.mark.parametrize(
    ("layer", "parameter", "fans"),
    [
        (None, "weight", (20, 256)),
        (Layer.of("Linear", in_features=20, out_features=256), "weight", (20, 256)),
        (Layer.of("MyLinear", in_units=20, units=256), "weight", (256, 20)),
        (
            Layer.of("Conv2d", in_channels=3, out_channels=64, kernel_size=5).to_json(),
            "weight",
            (75, 1600),
        ),
        (RESIDUAL, "1.0.weight", (144, 144)),
        ("Embedding", "weight", (16, 16)),
    ],
)
def test_fans_are_those_of_this_weight(
    layer: Layer | Network | str | None, parameter: str, fans: tuple[int, int]
) -> None:
    report = initialize(Initialize(layer=layer, parameter=parameter))

    assert (report.fan_in, report.fan_out) == fans


@pytest.mark.parametrize(
    ("settings", "error_type", "says", "why"),
    [
        (
            Initialize(parameter="bias"),
            "ValueError",
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
            "one-dimension",
        ),
        (
            Initialize(initializer="orthogonal_", shape=(5,)),
            "ValueError",
            "Only tensors with 2 or more dimensions are supported",
            "other-dimensions",
        ),
        (
            Initialize(initializer="eye_", shape=(2, 2, 2)),
            "ValueError",
            "Only tensors with 2 dimensions are supported",
            "other-dimensions",
        ),
        (
            Initialize(initializer="zeros"),
            "AttributeError",
            "module 'torch.nn.init' has no attribute 'zeros'",
            "no-such-name",
        ),
        (
            Initialize(initializer="normal_", arguments={"std": -1.0}),
            "RuntimeError",
            "normal expects std >= 0.0, but found std -1",
            "refused",
        ),
        (
            Initialize(initializer="kaiming_normal_", arguments={"nonlinearity": "gelu"}),
            "ValueError",
            "Unsupported nonlinearity gelu",
            "refused",
        ),
        (
            Initialize(initializer="trunc_normal_", arguments={"std": 0.0}),
            "ZeroDivisionError",
            "division by zero",
            "refused",
        ),
        (Initialize(initializer="constant_"), "TypeError", "missing 1 required", "refused"),
        (Initialize(layer="LazyLinear"), "ValueError", "uninitialized parameter", "no-shape-yet"),
    ],
)
def test_a_refusal_is_torchs_own(
    settings: Initialize, error_type: str, says: str, why: str
) -> None:
    report = initialize(settings)

    assert report.outcome.error_type == error_type
    assert says in report.outcome.message
    assert report.why == why
    assert report.sample is None
    assert (report.mean, report.std, report.counts) == (None, None, ())


def test_an_old_name_works_and_warns() -> None:
    report = initialize(Initialize(initializer="normal", shape=(3, 3)))

    assert report.outcome.ok
    assert "FutureWarning" in report.printed
    assert report.why == "old-name"


@pytest.mark.parametrize(
    "settings",
    [
        Initialize(initializer="sparse_", arguments={"sparsity": 0.5}, shape=(2, 200_000)),
        Initialize(initializer="orthogonal_", shape=(3000, 3000)),
        Initialize(initializer="dirac_", arguments={"groups": 100_000}, shape=(100_000, 1, 3)),
        Initialize(initializer="trunc_normal_", arguments={"a": 8.0, "b": 1e6}, shape=(1000,)),
    ],
)
def test_what_would_keep_torch_busy_for_long_is_refused(settings: Initialize) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        initialize(settings)

    assert refused.value.key == "initialiser_too_slow"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (Initialize(initializer="calculate_gain"), "initializer"),
        (Initialize(parameter="wait"), "parameter"),
        (
            Initialize(layer=Layer.of("Linear", in_features=MOST_VALUES, out_features=2)),
            "parameter",
        ),
    ],
)
def test_what_is_not_there_is_refused(settings: Initialize, field: str) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        initialize(settings)

    assert refused.value.field == field


def test_a_matrix_of_one_value_per_side_is_plus_or_minus_its_gain() -> None:
    reports = [
        initialize(
            Initialize(initializer="orthogonal_", arguments={"gain": 3.0}, shape=(1, 1), seed=seed)
        )
        for seed in range(8)
    ]

    assert {round(report.mean or 0, 6) for report in reports} == {-3.0, 3.0}
    assert all(report.std is None for report in reports)


def test_the_default_of_linear_is_uniform_within_one_over_the_root_of_fan_in() -> None:
    weight, bias = (read_default(ReadDefault(parameter=f"0.{name}")) for name in ("weight", "bias"))
    torch.manual_seed(0)
    layer = nn.Linear(20, 256)

    for report, values in ((weight, layer.weight), (bias, layer.bias)):
        assert report.actual == "box"
        assert report.follows_rule
        assert report.bound == pytest.approx(1 / math.sqrt(20))
        assert report.mean == pytest.approx(values.mean().item(), abs=1e-6)
        assert report.sample is not None
        assert -1 / math.sqrt(20) <= report.sample.least < -0.21
        assert report.expected_std == pytest.approx(1 / math.sqrt(60))
    assert weight.why == "default-weight"
    assert bias.why == "default-bias"
    assert bias.fan_in is None
    assert bias.layer_fans is not None


@pytest.mark.parametrize(
    ("network", "parameter", "actual", "mean", "std"),
    [
        (RESIDUAL, "1.1.weight", "spike", 1.0, 0.0),
        (RESIDUAL, "1.1.bias", "spike", 0.0, 0.0),
        (TRANSFORMER, "embedding.weight", "bell", 0.0, 1.0),
        (TRANSFORMER, "encoder0.self_attn.in_proj_weight", "box", 0.0, math.sqrt(2 / 128)),
        (TRANSFORMER, "encoder0.self_attn.in_proj_bias", "spike", 0.0, 0.0),
    ],
)
def test_the_defaults_of_other_layers_are_seen_too(
    network: Network, parameter: str, actual: str, mean: float, std: float
) -> None:
    report = read_default(ReadDefault(network=network.to_json(), parameter=parameter))

    assert report.actual == actual
    assert report.expected_mean == pytest.approx(mean)
    assert report.expected_std == pytest.approx(std)
    assert report.mean_difference is None or abs(report.mean_difference) < 4


def test_the_parameters_of_a_network_are_listed_in_torchs_order() -> None:
    report = list_parameters(ListParameters())

    assert report.paths == ("0.weight", "0.bias", "2.weight", "2.bias")
    assert [each.shape for each in report.entries] == [(256, 20), (256,), (10, 256), (10,)]
    assert report.types == ("Linear",)


# what torch takes, and what the layer has: fan_in, fan_out
FANS: list[tuple[Layout, tuple[int, int], tuple[int, int]]] = [
    (Layout.LINEAR, (20, 256), (20, 256)),
    (Layout.MY_LINEAR, (256, 20), (20, 256)),
    (Layout.TRANSPOSED, (20, 256), (20, 256)),
    (Layout.CONVOLUTION, (3 * 25, 64 * 25), (3 * 25, 64 * 25)),
    (Layout.TRANSPOSED_CONVOLUTION, (64 * 25, 3 * 25), (3 * 25, 64 * 25)),
    (Layout.GROUPED, (2 * 9, 16 * 9), (2 * 9, 4 * 9)),
]


@in_turn(("layout", "taken", "real"), FANS)
@pytest.mark.parametrize("mode", Mode)
def test_the_fan_that_torch_takes_and_the_one_that_the_layer_has(
    layout: Layout, mode: Mode, taken: tuple[int, int], real: tuple[int, int]
) -> None:
    report = count_fans(CountFans(layout=layout, mode=mode))
    place = 0 if mode is Mode.FAN_IN else 1

    assert (report.fan_in, report.fan_out) == taken
    assert (report.real_fans.fan_in, report.real_fans.fan_out) == real
    assert report.actual == str(taken[place])
    assert report.actual in report.answers
    assert report.is_right == (taken[place] == real[place])
    assert report.expected_std == pytest.approx(math.sqrt(2 / taken[place]))
    assert report.right.std == pytest.approx(math.sqrt(2 / real[place]))


def test_only_the_right_fan_keeps_the_signal() -> None:
    signals = {
        layout: count_fans(CountFans(layout=layout)).signal
        for layout in (Layout.LINEAR, Layout.MY_LINEAR, Layout.TRANSPOSED)
    }

    assert signals[Layout.LINEAR] == pytest.approx(1, abs=0.1)
    assert signals[Layout.TRANSPOSED] == pytest.approx(1, abs=0.1)
    assert signals[Layout.MY_LINEAR] == pytest.approx(20 / 256, rel=0.1)


@pytest.mark.parametrize(
    ("bound", "threshold", "answer"),
    [(10.0, 5.0, "half"), (10.0, 7.5, "three_quarters"), (4.0, 0.0, "none"), (1.0, 2.0, "all")],
)
def test_an_own_rule_keeps_what_is_large(bound: float, threshold: float, answer: str) -> None:
    report = follow_own_rule(FollowOwnRule(bound=bound, threshold=threshold))
    share = min(threshold / bound, 1.0)
    square = (bound**3 - min(threshold, bound) ** 3) / (3 * bound)

    assert report.actual == answer
    assert report.zero_fraction == pytest.approx(share, abs=4 * 0.5 / math.sqrt(5120))
    assert report.expected_std == pytest.approx(math.sqrt(square))
    assert report.std_difference is None or abs(report.std_difference) < 4


def test_a_leaf_is_not_changed_in_place_but_for_data_and_no_grad() -> None:
    data, no_grad, plain_way = (
        follow_own_rule(FollowOwnRule(spelling=spelling))
        for spelling in (Spelling.DATA, Spelling.NO_GRAD, Spelling.PLAIN)
    )

    assert plain_way.outcome.error_type == "RuntimeError"
    assert "a leaf Variable that requires grad" in plain_way.outcome.message
    assert plain_way.why == "leaf-in-place"
    assert data.counts == no_grad.counts


def test_ten_million_values_are_measured_and_little_is_told() -> None:
    report: InitializeReport = initialize(
        Initialize(initializer="uniform_", shape=(2500, 4000), seed=1)
    )

    assert sum(report.counts) == MOST_VALUES == 10_000_000
    assert report.mean_difference is not None
    assert abs(report.mean_difference) < 4
    assert len(repr(report)) < 10_000
