"""Densities integrate to what their moments say, by another rule on another grid."""

import math

import numpy as np
import pytest

from playground.modules.distributions import (
    Distribution,
    Fixed,
    Kept,
    Normal,
    Orthogonal,
    Truncated,
    Uniform,
)

SMOOTH = [
    Uniform(-1.0, 3.0),
    Normal(2.0, 0.5),
    Normal(0.0, 0.5, share=0.25),
    Truncated(0.0, 1.0, -2.0, 2.0),
    Truncated(1.0, 2.0, -1.0, 0.5),
    Truncated(0.0, 1.0, 3.0, 50.0),
    Kept(10.0, 5.0),
    Orthogonal(4, 2.0),
    Orthogonal(80, 1.0),
]


def integral(distribution: Distribution, power: int) -> float:
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
    mean, square, fourth = (integral(distribution, power) for power in (1, 2, 4))

    assert integral(distribution, 0) == pytest.approx(1, abs=2e-3)
    assert distribution.mean == pytest.approx(mean, abs=2e-3 * distribution.std)
    assert distribution.std == pytest.approx(math.sqrt(square - mean**2), rel=2e-3)
    assert distribution.std_error(100) != 0
    if mean == pytest.approx(0, abs=1e-9) and distribution.spread and not distribution.points:
        assert distribution.spread == pytest.approx((fourth / square**2 - 1) / 4, rel=0.02)


def test_the_moments_of_the_truncated_normal_are_the_textbooks():
    # mean and variance on [1, 2] of the standard normal, by the error function
    low, high = 1.0, 2.0
    inside = (math.erf(high / math.sqrt(2)) - math.erf(low / math.sqrt(2))) / 2
    edge_low, edge_high = (math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) for x in (low, high))
    mean = (edge_low - edge_high) / inside
    variance = 1 + (low * edge_low - high * edge_high) / inside - mean**2

    found = Truncated(0.0, 1.0, low, high)

    assert found.mean == pytest.approx(mean, rel=1e-9)
    assert found.std == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.share == pytest.approx(inside, rel=1e-9)


def test_a_far_tail_does_not_vanish():
    far = Truncated(0.0, 1.0, 50.0, 60.0)

    assert far.mean == pytest.approx(50 + 1 / 50, rel=1e-4)
    assert far.std == pytest.approx(1 / 50, rel=1e-2)
    assert far.acceptance < 0.01


@pytest.mark.parametrize(
    ("distribution", "count"),
    [(Uniform(0.0, 1.0), 50), (Normal(0.0, 1.0), 50), (Kept(1.0, 0.5), 80)],
)
def test_standard_errors_are_what_many_samples_show(distribution, count):
    drawn = np.random.default_rng(5)
    match distribution:
        case Uniform():
            values = drawn.uniform(0, 1, (20_000, count))
        case Normal():
            values = drawn.normal(0, 1, (20_000, count))
        case _:
            values = drawn.uniform(-1, 1, (20_000, count))
            values[abs(values) < 0.5] = 0

    assert distribution.mean_error(count) == pytest.approx(values.mean(axis=1).std(), rel=0.03)
    assert distribution.std_error(count) == pytest.approx(values.std(axis=1).std(), rel=0.05)


def test_what_is_fixed_has_no_errors():
    fixed = Fixed(((0.0, 0.75), (1.0, 0.25)))

    assert (fixed.mean, fixed.std) == (0.25, math.sqrt(3) / 4)
    assert fixed.mean_error(10) is None
    assert fixed.std_error(10) is None
