"""Answers recorded on a computer with an NVIDIA GPU; ``make record-gpu`` writes the file.

Without the file nothing is shown. This module loads no torch.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playground.machines.machine import Machine
from playground.steps.answer import Answer
from playground.steps.fields import id_of
from playground.steps.line_recorder import Line
from playground.steps.step import Step

FILE = Path(__file__).with_name("gpu_recording.json")
KEPT = ("prediction", "explanation", "facts", "placeholders", "table", "data", "printed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """The recorded answer of a step.

    Attributes:
        gpu: The name of the GPU.
        driver: The version of the NVIDIA driver.
        torch: The version of PyTorch.
        date: The day of the recording in ISO 8601.
        answer: The answer, with lists as sequences; without an explanation, only its output is
            shown.
    """

    gpu: str
    driver: str
    torch: str
    date: str
    answer: Answer


def find(step: Step) -> RecordedAnswer | None:
    """Return the answer recorded for these settings on any machine; None if there is none."""
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
    """Read a whole recording; empty if there is no file."""
    found: Mapping[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def plain(answer: Answer) -> dict[str, Any]:
    """Convert an answer to the data of a recording."""
    return {name: getattr(answer, name) for name in KEPT}


def key(step: Step) -> str:
    """Return the step and its settings without the machine: ``timing.clocks rows=1024``."""
    settings = [
        f"{each.name}={id_of(getattr(step, each.name))}"
        for each in step.declared()
        if each.type is not Machine
    ]
    return " ".join([type(step).__module__.removeprefix("playground.lessons."), *settings])
