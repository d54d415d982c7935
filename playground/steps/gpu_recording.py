"""What a computer with an NVIDIA GPU answered; ``make record-gpu`` writes it, nobody by hand.

Where nothing was recorded there is no file, and nothing is shown. Loads no torch.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playground.machines.machine import Machine
from playground.steps.answer import Answer
from playground.steps.recording import Line
from playground.steps.step import Step, id_of

FILE = Path(__file__).with_name("gpu_recording.json")
KEPT = ("prediction", "explanation", "facts", "placeholders", "table", "data", "printed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """What a step answered there.

    Attributes:
        gpu: The name of the GPU.
        driver: Version of the NVIDIA driver.
        torch: Version of PyTorch.
        date: The day of the recording, as ISO 8601 has it.
        answer: Its sequences are lists; without an explanation, all there is to show was printed.
    """

    gpu: str
    driver: str
    torch: str
    date: str
    answer: Answer


def find(step: Step) -> RecordedAnswer | None:
    """The answer recorded for these settings on any machine; None where there is none."""
    recording = read(FILE)
    kept = dict(recording.get("answers", {}).get(key(step), {}))
    if not kept:
        return None
    kept["table"] = tuple(map(tuple, kept["table"]))
    kept["lines"] = (Line(number=1, printed=kept.pop("printed")),)
    return RecordedAnswer(
        **{name: recording[name] for name in ("gpu", "driver", "torch", "date")},
        answer=Answer(**kept),
    )


@cache
def read(file: Path) -> Mapping[str, Any]:
    """Read a whole recording; empty where there is no file."""
    found: Mapping[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as a recording keeps it."""
    return {name: getattr(answer, name) for name in KEPT}


def key(step: Step) -> str:
    """The step with its settings, the machine left out: ``timing.clocks rows=1024``."""
    settings = [
        f"{each.name}={id_of(getattr(step, each.name))}"
        for each in step.declared()
        if each.type is not Machine
    ]
    return " ".join([type(step).__module__.removeprefix("playground.lessons."), *settings])
