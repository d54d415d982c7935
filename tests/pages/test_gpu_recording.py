"""The file of ``make record-gpu``, with simulated GPUs under another name, and its pages."""

import datetime
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from playground import catalog
from playground.catalog import Language
from playground.lessons.devices.environment import Environment, Report
from playground.lessons.tensors.transfer import Transfer
from playground.lessons.timing.bandwidth import Bandwidth
from playground.lessons.timing.clocks import Clocks
from playground.lessons.timing.interpreter_lock import Call, InterpreterLock
from playground.lessons.timing.logging import Logging
from playground.lessons.timing.pieces import Pieces
from playground.lessons.timing.products import Products
from playground.machines import Machine, MachineKind
from playground.machines.simulated import simulated_gpus
from playground.steps import Step, gpu_recording, load_step
from tests.fresh import run_fresh
from tests.machines.cases import table
from tests.machines.cases.case import Case
from tests.machines.fake_nvml import a_gpu
from tests.machines.fake_torch import torch_sees_cuda
from tests.pages.app import ROOT, press, text, visit
from tools import record_gpu
from ui import language as interface_language
from ui.panel import view

pytestmark = pytest.mark.usefixtures("inline")

SMI = "| NVIDIA-SMI 580.65.06   Driver Version: 580.65.06   CUDA Version: 13.0 |"
REAL = Machine(kind=MachineKind.REAL)
STEPS = (
    *(Transfer(mebibytes=1, machine=REAL), Clocks(rows=64), Products(rows=16), Logging(times=10)),
    *(Bandwidth(mebibytes=1), Pieces(pieces=2), InterpreterLock(call=Call.SUM)),
)
CASES = {
    "sum": Case("sum", lambda: torch.ones(2, device="cuda").sum().item(), 2.0, 1, False),
    "refused": Case("refused", lambda: torch.ones(1).cuda() @ torch.ones(1), None, 1, False),
    "for_nine": Case("for_nine", torch.cuda.device_count, 9, 9, False),
}
NOT_THERE = ("pebble", "psutil", "pynvml", "pytest", "safetensors", "streamlit", "tomli")
ALONE = f"""
import sys
sys.modules |= dict.fromkeys({NOT_THERE!r})  # an import of these raises ModuleNotFoundError
from tests.machines.cases.table import CASES
from tools import record_gpu
for step in record_gpu.measuring_steps():
    if type(step).__name__ == "Logging":
        print(len(CASES) > 100, step.experiment().outcome.ok)
"""


def put_nvidia_smi(folder: Path, patch: pytest.MonkeyPatch, script: str) -> None:
    """Stand a script in the place of nvidia-smi, alone on the path."""
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    patch.setenv("PATH", str(folder))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The file that the recorder writes on a computer with one GPU."""
    folder = tmp_path_factory.mktemp("recorded")
    with simulated_gpus(1), pytest.MonkeyPatch.context() as patch:
        torch_sees_cuda(patch, a_gpu("a"))
        put_nvidia_smi(folder, patch, f"echo '{SMI}'")
        patch.setattr(gpu_recording, "FILE", folder / "recorded.json")
        patch.setattr(record_gpu, "measuring_steps", lambda: STEPS)
        patch.setattr(table, "CASES", CASES)
        assert record_gpu.main() == 0
    return folder / "recorded.json"


@pytest.fixture
def recording(made, monkeypatch):
    """That file, in the place of the one that lessons show."""
    monkeypatch.setattr(gpu_recording, "FILE", made)
    return gpu_recording.read(made)


def shown(step: Step, language: Language = Language.EN) -> str:
    """Return the part of a page that shows a recording."""
    _, _, lesson, step_id = type(step).__module__.split(".")
    words = catalog.lesson(lesson).step(step_id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interface_language, "current_language", lambda: language)
        return view.recorded_html(view.Shown(step=step, words=words, devices=(), language=language))


def test_every_step_that_measures_on_a_machine_is_recorded_with_its_rounds():
    steps = list(record_gpu.measuring_steps())

    assert {type(each) for each in steps} == {type(each) for each in STEPS}
    assert {each for each in steps if isinstance(each, InterpreterLock)} == {
        InterpreterLock(call=call, machine=REAL) for call in Call
    }
    assert {each.host() for each in steps} <= {None, REAL}


def test_a_recording_says_where_and_when_it_was_made_and_what_the_gpus_at_hand_answered(recording):
    made_on = datetime.date.fromisoformat(recording["date"])
    age = datetime.datetime.now(datetime.UTC).date() - made_on

    assert recording["gpu"] == a_gpu("a")["name"]
    assert recording["driver"] == "580.65.06"
    assert recording["torch"] == torch.__version__
    assert age.days in (0, 1)
    answers = recording["cuda_answers"]
    assert answers.keys() == {"sum", "refused"}
    assert answers["sum"] == 2.0
    assert answers["refused"]["error"] == "RuntimeError"


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("is_committed", [False, True])
def test_each_recorded_answer_is_shown_and_labelled_as_recorded(
    made, is_committed, language, monkeypatch
):
    if not is_committed:
        monkeypatch.setattr(gpu_recording, "FILE", made)
    recording = gpu_recording.read(gpu_recording.FILE)  # empty where none was committed
    for key in recording.get("answers", {}):
        module, *settings = key.split(" ")
        step = load_step(*module.split(".")).of(dict(each.split("=") for each in settings))
        said = shown(step, language)
        start = {"en": "<p><strong>Recorded on ", "zh": "<p><strong>录自 "}[language]
        assert said.startswith(f"{start}{recording['gpu']}"), key
        assert all(recording[name] in said for name in ("driver", "torch", "date")), key
        assert "{" not in said, key


def test_what_was_recorded_is_shown_as_numbers_bars_and_text(recording):
    table = recording["answers"]["tensors.transfer mebibytes=1"]["table"]
    read = recording["answers"]["timing.logging times=10"]["placeholders"]["read"]

    assert all(f"<td>{row[3]:.4g}</td>" in shown(Transfer(mebibytes=1)) for row in table[1:])
    assert shown(Logging(times=10)).count(read) >= 3  # alternative text, bar and explanation
    assert "var(--tp-cuda-0)" in shown(Logging(times=10))
    assert f"{SMI}\n" in shown(Environment(machine=Machine(gpus=1)))
    assert shown(Environment(report=Report.ENVIRONMENT)) == ""


def test_nothing_is_shown_for_other_settings_or_without_a_recording(
    recording, tmp_path, monkeypatch
):
    assert shown(Logging(times=10, machine=Machine(gpus=1)))
    assert shown(Logging(times=11)) == ""
    monkeypatch.setattr(gpu_recording, "FILE", tmp_path / "none.json")
    assert shown(Logging(times=10)) == ""


def test_a_page_shows_the_recording_once_the_question_is_answered(recording):
    at = visit("timing", step="logging", times="10", lang="en")
    before = text(at)
    press(at, "run")

    assert not at.exception
    assert "Recorded on" not in before
    assert f"Recorded on NVIDIA Test A (driver 580.65.06, PyTorch {torch.__version__}" in text(at)


@pytest.mark.parametrize("script", ["echo No devices were found; exit 6", f"echo '{SMI}'"])
def test_without_a_gpu_one_sentence_says_what_is_needed(script, tmp_path, monkeypatch, capsys):
    put_nvidia_smi(tmp_path, monkeypatch, script)
    monkeypatch.setattr(gpu_recording, "FILE", tmp_path / "recorded.json")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    assert record_gpu.main() == 1

    said = capsys.readouterr()
    assert said.err.startswith("Recording needs an NVIDIA GPU")
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert not (tmp_path / "recorded.json").exists()


def test_make_says_so_too(tmp_path):
    ran = subprocess.run(
        [str(shutil.which("make")), "record-gpu", f"PYTHON={sys.executable}"],
        cwd=ROOT,
        env={"PATH": f"{tmp_path}"},
        capture_output=True,
        text=True,
    )

    assert ran.returncode != 0
    assert "Recording needs an NVIDIA GPU" in ran.stderr


def test_the_recorder_needs_torch_and_numpy_alone():
    assert run_fresh(ALONE) == "True True\n"
