"""What the tests of this lesson share."""

from collections.abc import Iterator

import pytest

from playground.lessons.timing.records import CompareClocks, LogLosses


@pytest.fixture(scope="module", autouse=True)
def measurements_are_short() -> Iterator[None]:
    """Measure for less long than a visitor would: no test looks at how long anything takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompareClocks, "BENCHMARK_SECONDS", CompareClocks.BENCHMARK_SECONDS / 20)
        patch.setattr(LogLosses, "REPEATS", 3)
        yield
