"""The same table on real CUDA, the answers recorded there, and simulated devices against them.

On a host with GPUs, ``RECORD_CUDA_ANSWERS=1 pytest -m gpu tests/machines/test_cuda_contract.py``
writes ``cuda_answers.json``: {"torch": …, "gpu": …, "answers": {name: answer}}.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.machines.cases.case import Case, agrees, answer, expected_answer
from tests.machines.cases.table import CASES

RECORDED = Path(__file__).parent / "cuda_answers.json"
ROOT = Path(__file__).parents[2]
GPUS = 0 if os.environ.get("CUDA_VISIBLE_DEVICES") == "" else torch.cuda.device_count()


def answer_of_cuda(row: Case) -> Any:
    if not row.fresh:
        return answer(row.action)
    environment = {
        name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"
    }
    command = [sys.executable, "-m", "tests.machines.cases.table", row.name]
    output = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return json.loads(output.stdout)


@pytest.fixture(scope="module")
def answers():
    found: dict[str, Any] = {}
    yield found
    if os.environ.get("RECORD_CUDA_ANSWERS") and found:
        gpu = torch.cuda.get_device_name(0)
        record = {"torch": torch.__version__, "gpu": gpu, "gpus": GPUS, "answers": found}
        RECORDED.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@pytest.mark.gpu
@pytest.mark.skipif(GPUS == 0, reason="needs CUDA")
@pytest.mark.parametrize("row", CASES.values(), ids=CASES)
def test_cuda_answers_as_expected(row: Case, answers: dict[str, Any]):
    if row.gpus > GPUS:
        pytest.skip(f"needs {row.gpus} GPUs")
    given = answer_of_cuda(row)
    answers[row.name] = given

    assert agrees(given, expected_answer(row)), f"{given!r} is not {row.expected!r}"


def told(text: str) -> str:
    """What a text says, without sizes, numbers and what older releases word differently."""
    first = text.split("\n")[0]
    return re.sub(r"[\d.]+ (bytes|[KMG]iB)", "SIZE", re.sub(r"0x\w+", "ADDRESS", first))


def matches(given: Any, recorded: Any) -> bool:
    if isinstance(recorded, dict) and "error" in recorded:
        return (
            isinstance(given, dict)
            and given.get("error") == recorded["error"]
            and told(given["text"]) == told(recorded["text"])
        )
    return agrees(given, recorded)


def recorded_answers() -> dict[str, Any]:
    if not RECORDED.exists():
        return {}
    answers: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]
    return answers


def test_every_recorded_answer_belongs_to_a_case():
    assert recorded_answers().keys() <= CASES.keys()


@pytest.mark.parametrize("name", sorted(recorded_answers()))
def test_simulated_devices_answer_as_this_gpu_did(name: str):
    row = CASES[name]
    if not row.comparable:
        pytest.skip("differs from machine to machine")

    from playground.machines.simulated import simulated_gpus  # it needs more than a GPU host has

    with simulated_gpus(2):
        given = answer(row.action)

    assert matches(given, recorded_answers()[name])
