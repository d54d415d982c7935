"""One server for all faults that a worker of the tests tries: it takes seconds to start."""

import sys
from collections.abc import Iterator

import pytest

from benchmarks.class_load import hosted
from tests.faults.school import School


@pytest.fixture(scope="session")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    if sys.platform != "linux":
        pytest.skip("the faults are made by Linux's means")
    made = School(tmp_path_factory.mktemp("school"))
    with made.server:
        hosted.wait_until_ready(made.port)
        yield made
