"""Every case of the table, on simulated devices, against what CUDA answers."""

import gc

import pytest

from playground.machines.simulated import simulated_gpus
from tests.machines.cases.case import Case, agrees, answer, expected_answer
from tests.machines.cases.table import CASES
from tests.turns import in_turn


@pytest.fixture(scope="module", autouse=True)
def what_is_there_stays() -> None:
    """Let the garbage collector skip it: the cases of memory call it again and again."""
    gc.collect()
    gc.freeze()


def test_the_table_has_at_least_120_cases():
    assert len(CASES) >= 120


@in_turn("row", CASES.values())
def test_simulated_devices_answer_as_cuda_does(row: Case):
    expected = expected_answer(row)

    with simulated_gpus(2, memory_gib=8.0):
        given = answer(row.action)

    assert agrees(given, expected), f"{row.name}: {given!r} is not {expected!r}"
