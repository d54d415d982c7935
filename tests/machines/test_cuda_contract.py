"""The table on real CUDA, and simulated devices compared with the answers recorded there.

``make record-gpu`` records the answers.
"""

import os
import re
from typing import Any

import pytest
import torch

from playground.machines.simulated import simulated_gpus
from playground.steps import gpu_recording
from tests.machines.cases.case import agrees, answer, expected_answer
from tests.machines.cases.table import CASES, answer_of_cuda

GPUS = 0 if os.environ.get("CUDA_VISIBLE_DEVICES") == "" else torch.cuda.device_count()


@pytest.mark.gpu
@pytest.mark.skipif(GPUS == 0, reason="needs CUDA")
@pytest.mark.parametrize("row", CASES.values(), ids=CASES)
def test_cuda_answers_as_expected(row):
    if row.gpus > GPUS:
        pytest.skip(f"needs {row.gpus} GPUs")
    given = answer_of_cuda(row)

    assert agrees(given, expected_answer(row)), f"{given!r} is not {row.expected!r}"


def normalise(text: str) -> str:
    """The first line, without sizes and addresses."""
    first = text.split("\n")[0]
    return re.sub(r"[\d.]+ (bytes|[KMG]iB)", "SIZE", re.sub(r"0x\w+", "ADDRESS", first))


def matches(given: Any, recorded: Any) -> bool:
    if isinstance(recorded, dict) and "error" in recorded:
        return (
            isinstance(given, dict)
            and given.get("error") == recorded["error"]
            and normalise(given["text"]) == normalise(recorded["text"])
        )
    return agrees(given, recorded)


def recorded_answers() -> dict[str, Any]:
    answers: dict[str, Any] = gpu_recording.read(gpu_recording.FILE).get("cuda_answers", {})
    return answers


@pytest.mark.parametrize("name", sorted(recorded_answers()))
def test_simulated_devices_answer_as_this_gpu_did(name):
    with simulated_gpus(2):
        given = answer(CASES[name].action)

    assert matches(given, recorded_answers()[name])


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("row", CASES.values(), ids=CASES)
def test_simulated_devices_answer_as_cuda_does(row):
    expected = expected_answer(row)

    with simulated_gpus(2, memory_gib=8.0):
        given = answer(row.action)

    assert agrees(given, expected), f"{row.name}: {given!r} is not {expected!r}"
