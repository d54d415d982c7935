"""The initialisers of torch.nn.init, their arguments, and what torch is seen to call."""

import copy
import math
from collections import Counter
from collections.abc import Callable

import pytest
import torch
from torch import nn

from playground.modules.custom.my_linear import MyLinear
from playground.modules.initialisers import fans, initialiser, initialisers, sample, watching
from playground.modules.layer_types import ArgumentKind


def test_every_initialiser_is_read_and_the_generator_is_left_out() -> None:
    known = {each.name: each for each in initialisers()}

    assert {"xavier_uniform_", "kaiming_normal_", "orthogonal_", "sparse_", "eye_"} <= set(known)
    assert "calculate_gain" not in known
    for each in known.values():
        assert each.summary
        assert "generator" not in {argument.name for argument in each.arguments}
        assert "tensor" not in {argument.name for argument in each.arguments}


def test_words_are_those_that_torch_takes() -> None:
    candidates = {*dir(nn.functional), *(f"conv_transpose{n}d" for n in (1, 2, 3)), "conv1d"}
    taken = set()
    for word in candidates:
        try:
            nn.init.calculate_gain(word)  # type: ignore[arg-type]
            taken.add(word)
        except ValueError:
            pass
    kaiming = initialiser("kaiming_uniform_")
    nonlinearity, mode = kaiming.argument("nonlinearity"), kaiming.argument("mode")

    assert nonlinearity is not None
    assert set(nonlinearity.choices) == taken
    assert nonlinearity.kind is ArgumentKind.CHOICE
    assert mode is not None
    assert mode.choices == ("fan_in", "fan_out")


def test_reading_them_draws_no_random_numbers() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    initialiser.cache_clear()
    initialisers.cache_clear()
    initialisers()

    assert torch.equal(torch.get_rng_state(), before)


def test_a_required_argument_has_no_default() -> None:
    constant, sparse = initialiser("constant_"), initialiser("sparse_")

    assert [each.name for each in constant.arguments if each.is_required] == ["val"]
    assert [each.name for each in sparse.arguments if each.is_required] == ["sparsity"]


@pytest.mark.parametrize("shape", [(5,), ()])
def test_fewer_than_two_dimensions_have_no_fans(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        fans(shape)


@pytest.mark.parametrize(
    ("make", "parameter", "function", "arguments"),
    [
        (
            lambda: nn.Linear(3, 2),
            "weight",
            "kaiming_uniform_",
            {"a": math.sqrt(5), "mode": "fan_in", "nonlinearity": "leaky_relu"},
        ),
        (lambda: nn.Linear(4, 2), "bias", "uniform_", {"a": -0.5, "b": 0.5}),
        (lambda: nn.Embedding(3, 2), "weight", "normal_", {"mean": 0.0, "std": 1.0}),
        (lambda: nn.LSTM(2, 4), "weight_hh_l0", "uniform_", {"a": -0.5, "b": 0.5}),
        (lambda: nn.BatchNorm1d(4), "weight", "fill_", {"val": 1.0}),
        (lambda: nn.LayerNorm(4), "bias", "zero_", {}),
        (lambda: nn.PReLU(), "weight", "constant_", {"val": 0.25}),
        (lambda: MyLinear(2, 3), "weight", "randn", {}),
        (lambda: copy.deepcopy(nn.LayerNorm(4)), "weight", "fill_", {"val": 1.0}),
    ],
)
def test_what_torch_calls_is_seen(
    make: Callable[[], nn.Module], parameter: str, function: str, arguments: dict[str, object]
) -> None:
    with watching() as watch:
        module = make()
    drawn = watch.of(module.get_parameter(parameter))

    assert drawn is not None
    assert drawn.function == function
    assert dict(drawn.arguments) == pytest.approx(arguments)


def test_watching_changes_no_number() -> None:
    torch.manual_seed(2)
    plain = nn.TransformerEncoderLayer(8, 2, 16)
    torch.manual_seed(2)
    with watching():
        watched = nn.TransformerEncoderLayer(8, 2, 16)

    assert all(
        torch.equal(a, b) for a, b in zip(plain.parameters(), watched.parameters(), strict=True)
    )


def test_what_was_filled_elsewhere_is_not_known() -> None:
    with watching() as watch:
        layer = nn.Linear(3, 2)
    other = nn.Linear(3, 2)

    assert watch.of(other.weight) is None
    assert watch.of(layer.weight[0]) is None


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [-1.0, 0.0, 2.0, 2.0], [1e-30, 1e30]])
def test_every_value_is_counted(values: list[float]) -> None:
    found = sample(torch.tensor(values), ((0.0, 0.5),))

    assert sum(found.counts) == len(values) == found.count
    assert found.edges[0] <= torch.tensor(values).min().item()
    assert torch.tensor(values).max().item() <= found.edges[-1]
    assert found.zero_fraction == Counter(values)[0.0] / len(values)
    assert found.points == ((0.0, found.zero_fraction),)
    assert (found.std is None) == (len(values) == 1)
