import math
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
import torch
from torch import nn

from playground.modules.distributions import Fixed, Kept, Normal, Orthogonal, Truncated, Uniform
from playground.modules.initialisers import expected, fans, initialiser, initialisers, sample
from playground.modules.layer_types import ArgumentKind

INSIDE = 0.6826894921370859  # of a normal distribution, within one standard deviation
UPPER_HALF, H = {"mean": 3.0, "std": 2.0, "a": 3.0, "b": 100.0}, math.sqrt(2 / math.pi)
PEAK = math.exp(-0.5) / math.sqrt(2 * math.pi)  # its density there

# initialiser, arguments, shape, expected mean, expected std
CLOSED_FORMS = [
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
    ("trunc_normal_", {"a": -1.0, "b": 1.0}, (300, 200), 0.0, math.sqrt(1 - 2 * PEAK / INSIDE)),
    ("trunc_normal_", UPPER_HALF, (300, 200), 3 + 2 * H, 2 * math.sqrt(1 - H**2)),
    ("orthogonal_", {}, (50, 80), 0.0, 1 / math.sqrt(80)),
    ("orthogonal_", {"gain": 2.0}, (80, 5, 2, 2), 0.0, 2 / math.sqrt(80)),
    ("sparse_", {"sparsity": 0.33, "std": 0.5}, (10, 400), 0.0, 0.5 * math.sqrt(6 / 10)),
    ("sparse_", {"sparsity": 1.0}, (10, 40), 0.0, 0.0),
]


def test_every_initialiser_of_torch_is_read_and_has_a_closed_form_here():
    public = {name for name in vars(nn.init) if name.endswith("_") and not name.startswith("_")}
    known = initialisers()

    assert {each.name for each in known} == public == {name for name, *_ in CLOSED_FORMS}
    for each in known:
        assert each.summary
        assert not {argument.name for argument in each.arguments} & {"generator", "tensor"}


def test_words_are_those_that_torch_takes():
    candidates = {*dir(nn.functional), *(f"conv_transpose{n}d" for n in (1, 2, 3)), "conv1d"}
    taken = set()
    for word in candidates:
        with suppress(ValueError):
            nn.init.calculate_gain(word)
            taken.add(word)
    kaiming = initialiser("kaiming_uniform_")
    nonlinearity, mode = kaiming.argument("nonlinearity"), kaiming.argument("mode")

    assert (nonlinearity.kind, set(nonlinearity.choices)) == (ArgumentKind.CHOICE, taken)
    assert mode.choices == ("fan_in", "fan_out")


def test_reading_them_draws_no_random_numbers():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    initialiser.cache_clear()
    initialisers.cache_clear()
    initialisers()

    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("name", "required"), [("constant_", "val"), ("sparse_", "sparsity")])
def test_a_required_argument_has_no_default(name, required):
    assert [each.name for each in initialiser(name).arguments if each.is_required] == [required]


@pytest.mark.parametrize("shape", [(5,), ()])
def test_fewer_than_two_dimensions_have_no_fans(shape):
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        fans(shape)


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [-1.0, 0.0, 2.0, 2.0], [1e-30, 1e30]])
def test_every_value_is_counted(values):
    found = sample(torch.tensor(values), ((0.0, 0.5),))

    assert sum(found.counts) == len(values) == found.count
    assert found.edges[0] <= torch.tensor(values).min().item()
    assert torch.tensor(values).max().item() <= found.edges[-1]
    assert found.zero_fraction == Counter(values)[0.0] / len(values)
    assert found.points == ((0.0, found.zero_fraction),)
    assert (found.std is None) == (len(values) == 1)


@pytest.mark.parametrize(("name", "arguments", "shape", "mean", "std"), CLOSED_FORMS)
def test_moments_agree_with_the_closed_form_and_with_torch(name, arguments, shape, mean, std):
    torch.manual_seed(3)
    values = getattr(nn.init, name)(torch.empty(shape), **arguments)
    distribution = expected(name, arguments, shape).distribution
    found = sample(values)

    assert distribution.mean == pytest.approx(mean, abs=1e-9)
    assert distribution.std == pytest.approx(std, abs=1e-9)
    assert found.mean == pytest.approx(values.mean().item(), abs=1e-6)
    assert found.std == pytest.approx(values.std().item(), abs=1e-6)
    assert found.mean == pytest.approx(mean, abs=1e-9 + 4 * std / math.sqrt(values.numel()))
    assert values.std().item() == pytest.approx(std, rel=0.05)


def test_a_histogram_counts_every_value_where_numpy_counts_it():
    torch.manual_seed(7)
    values = torch.randn(40, 50)
    found = sample(values)
    counts, _ = np.histogram(values.double().numpy(), np.array(found.edges))

    assert sum(found.counts) == 2000
    assert sum(abs(a - b) for a, b in zip(found.counts, counts, strict=True)) <= 2


SMOOTH = (
    *(Uniform(-1.0, 3.0), Normal(2.0, 0.5), Normal(0.0, 0.5, share=0.25), Kept(10.0, 5.0)),
    *(Truncated(0.0, 1.0, -2.0, 2.0), Truncated(1.0, 2.0, -1.0, 0.5)),
    *(Truncated(0.0, 1.0, 3.0, 50.0), Orthogonal(4, 2.0), Orthogonal(80, 1.0)),
)


def integral(distribution, power: int) -> float:
    """Of the density times a power, by midpoints."""
    least, most = distribution.reach
    room = (most - least) / 4
    edges = np.linspace(least - room, most + room, 60_001)
    middles = (edges[1:] + edges[:-1]) / 2
    heights = np.array([distribution.density(float(x)) for x in middles])
    points = sum(share * value**power for value, share in distribution.points)
    return float((heights * middles**power).sum() * (edges[1] - edges[0])) + points


@pytest.mark.parametrize("distribution", SMOOTH, ids=str)
def test_a_density_and_its_points_make_one_and_have_the_moments(distribution):
    mean, square = integral(distribution, 1), integral(distribution, 2)
    assert integral(distribution, 0) == pytest.approx(1, abs=2e-3)
    assert distribution.mean == pytest.approx(mean, abs=2e-3 * distribution.std)
    assert distribution.std == pytest.approx(math.sqrt(square - mean**2), rel=2e-3)


def test_a_far_tail_does_not_vanish():
    far = Truncated(0.0, 1.0, 50.0, 60.0)
    assert far.mean == pytest.approx(50 + 1 / 50, rel=1e-4)
    assert far.std == pytest.approx(1 / 50, rel=1e-2)


def test_what_is_fixed_has_the_moments_of_its_shares():
    fixed = Fixed(((0.0, 0.75), (1.0, 0.25)))
    assert (fixed.mean, fixed.std) == (0.25, math.sqrt(3) / 4)
