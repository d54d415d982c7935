"""Every case of the table on simulated devices, compared with CUDA's answer."""

import gc

import pytest

from playground.machines.simulated import simulated_gpus
from tests.machines.cases.case import agrees, answer, expected_answer
from tests.machines.cases.table import CASES


@pytest.fixture(scope="module", autouse=True)
def freeze_existing_objects():
    """Exclude them from garbage collection, which the cases of memory call repeatedly."""
    gc.collect()
    gc.freeze()


def test_the_table_has_at_least_120_cases():
    assert len(CASES) >= 120


@pytest.mark.parametrize("row", CASES.values(), ids=CASES)
def test_simulated_devices_answer_as_cuda_does(row):
    expected = expected_answer(row)

    with simulated_gpus(2, memory_gib=8.0):
        given = answer(row.action)

    assert agrees(given, expected), f"{row.name}: {given!r} is not {expected!r}"
