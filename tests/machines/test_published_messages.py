"""Published messages of real CUDA, from questions and issues, and those of simulated devices.

The wording changes with releases: compared are argument and kernel, or words without numbers.
"""

import json
import re
from pathlib import Path

import pytest

from playground.machines.simulated import simulated_gpus
from tests.machines.cases.case import answer
from tests.machines.cases.table import CASES

PUBLISHED = json.loads((Path(__file__).parent / "published_cuda_messages.json").read_text("utf-8"))
NAMED = (
    r"found at least two devices, \S+ and \S+! "
    r"\(when checking argument for argument (?P<argument>\w+) in method (?P<method>\w+)",
    r"got (?P<argument>\w+) is on \S+, different from other tensors on \S+ "
    r"\(when checking argument in method (?P<method>\w+)\)",
)


def normalise(text: str) -> object:
    for pattern in NAMED:
        if found := re.search(pattern, text):
            return found["argument"], found["method"]
    words = text.replace("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF").replace("`", "")
    words = re.sub(r"\b[\d.]+ (GiB|MiB|KiB|bytes)", "SIZE", words)
    return re.sub(r"(cuda:|GPU |type ')?\d+'?", "N", words).strip()


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("published", PUBLISHED, ids=[each["case"] for each in PUBLISHED])
def test_simulated_devices_say_what_cuda_said(published):
    with simulated_gpus(2):
        said = answer(CASES[published["case"]].action)

    given, expected = normalise(said["text"]), normalise(published["text"])
    assert said["error"] == published["error"]
    assert given == expected or str(given).startswith(str(expected))
