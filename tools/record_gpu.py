"""Records what only a GPU shows: the steps that measure, nvidia-smi, and CUDA's own answers.

What ``make record-gpu`` runs, on a computer with an NVIDIA GPU. It needs torch and NumPy alone.
"""

import datetime
import importlib.util
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playground.lessons.devices.environment import Environment, Report
from playground.machines import Machine, MachineKind
from playground.machines.nvidia_smi import NvidiaSmiState, read_nvidia_smi
from playground.steps import Answer, Line, Step, gpu_recording, load_step

LESSONS = Path(gpu_recording.__file__).parents[1] / "lessons"
REAL = Machine(kind=MachineKind.REAL)
DRIVER = re.compile(r"Driver Version: *(\S+)")
NEEDS = "Recording needs an NVIDIA GPU that both nvidia-smi and the PyTorch of {python} find."

if importlib.util.find_spec("tomli") is None:
    sys.modules["tomli"] = tomllib  # the same parser; some lessons import the compiled one


class NoGpuError(Exception):
    """There is nothing to record here."""


def main() -> int:
    """Write the recording; say in a sentence what is missing where it cannot be made."""
    try:
        recording = record()
    except NoGpuError:
        print(NEEDS.format(python=sys.executable), file=sys.stderr)
        return 1
    text = json.dumps(recording, indent=1, ensure_ascii=False)
    gpu_recording.FILE.write_text(f"{text}\n", encoding="utf-8")
    print(f"wrote {gpu_recording.FILE}")
    return 0


def record() -> dict[str, Any]:
    """Read the computer, and run all that needs its GPU.

    Raises:
        NoGpuError: It has none, or the driver or PyTorch does not find it.
    """
    smi = read_nvidia_smi()
    driver = DRIVER.search(smi.output)
    if smi.state != NvidiaSmiState.ANSWERED or not driver or not importlib.util.find_spec("torch"):
        raise NoGpuError
    import torch

    if not torch.cuda.is_available():
        raise NoGpuError
    report = Environment(machine=REAL, report=Report.NVIDIA_SMI)
    printed = Answer(prediction="", explanation="", lines=(Line(number=1, printed=smi.output),))
    answers = {gpu_recording.key(report): gpu_recording.plain(printed)}
    for step in measuring_steps():
        answer = step.experiment()
        said = answer.explanation if answer.outcome.ok else answer.outcome.message
        print(f"{gpu_recording.key(step)}: {said}")
        if answer.outcome.ok:
            answers[gpu_recording.key(step)] = gpu_recording.plain(answer)
    return {
        "gpu": torch.cuda.get_device_name(0),
        "driver": driver[1],
        "torch": str(torch.__version__),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "answers": answers,
        "cuda_answers": cuda_answers(torch.cuda.device_count()),
    }


def measuring_steps() -> Iterator[Step]:
    """Every step that measures and knows machines, with its defaults and in each of its rounds."""
    for words in sorted(LESSONS.glob("*/*.toml")):
        if not words.with_suffix(".py").exists():
            continue
        kind = load_step(words.parent.name, words.stem)
        if kind.measures and any(each.type is Machine for each in kind.declared()):
            rounds = tomllib.loads(words.read_text("utf-8")).get("rounds", [])
            for settings in ({}, *(each["settings"] for each in rounds)):
                yield kind.of(settings, machine=REAL)


def cuda_answers(gpus: int) -> dict[str, Any]:
    """Run the cases of tests/machines on CUDA; leave out those for more GPUs than there are."""
    from tests.machines.cases.table import CASES, answer_of_cuda  # loads torch

    return {name: answer_of_cuda(case) for name, case in CASES.items() if case.gpus <= gpus}


if __name__ == "__main__":
    sys.exit(main())
