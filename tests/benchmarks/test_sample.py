import math
import statistics

import pytest

from benchmarks.sample import Sample


def test_median_is_that_of_the_standard_library() -> None:
    readings = [7.0, 1.0, 9.0, 4.0]

    assert Sample.of(readings).median == statistics.median(readings)


@pytest.mark.parametrize("count", [2, 5, 20, 101])
def test_p95_is_the_inclusive_quantile_of_the_standard_library(count: int) -> None:
    readings = [float((number * 37) % count) for number in range(count)]

    expected = statistics.quantiles(readings, n=20, method="inclusive")[-1]

    assert Sample.of(readings).p95 == pytest.approx(expected)


def test_one_reading_is_its_own_quantiles() -> None:
    sample = Sample((3.0,))

    assert (sample.median, sample.p95, sample.most) == (3.0, 3.0, 3.0)


def test_nothing_measured_is_not_a_number() -> None:
    assert math.isnan(Sample(()).median)
