"""What the tests of this lesson share."""

from collections.abc import Iterator

import pytest

from playground.lessons.timing.records import CompareClocks, LogLosses, MatmulSweep


@pytest.fixture(scope="module", autouse=True)
def measurements_are_short() -> Iterator[None]:
    """Measure for less long than a visitor would: no test looks at how long anything takes.

    No product is left out because the computer is busy.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompareClocks, "BENCHMARK_SECONDS", CompareClocks.BENCHMARK_SECONDS / 20)
        patch.setattr(LogLosses, "REPEATS", 3)
        patch.setattr(MatmulSweep, "PRODUCT_SECONDS", 3_600.0)
        yield
