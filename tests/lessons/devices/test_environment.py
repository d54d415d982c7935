import platform

import psutil
import pytest
import torch

from playground.catalog import Language
from playground.lessons.devices.environment import Environment, Report, Smi, draw
from playground.machines import Machine, MachineKind
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.units import GIBIBYTE, format_bytes
from tests.answers import answer
from tests.lessons.steps import find, labels_of

REAL = Machine(kind=MachineKind.REAL)
LABELS = labels_of(find("devices", "environment")[0])


@pytest.mark.parametrize("machine", [REAL, Machine(gpus=3)])
def test_the_server_is_read_whatever_machine_was_chosen(machine):
    found = answer(Environment(machine=machine, report=Report.ENVIRONMENT))

    assert found.facts["torch"] == torch.__version__
    assert found.facts["python"] == platform.python_version()
    assert found.facts["threads"] == psutil.cpu_count()
    assert found.facts["memory"] == format_bytes(psutil.virtual_memory().total)
    assert f"PyTorch:            {torch.__version__}" in found.lines[0].printed
    simulated = 3 if machine.is_simulated else 0
    assert (found.facts["accelerators"] or "").count("Simulated GPU") == simulated


def test_a_simulated_machine_shows_name_and_memory_and_no_sensor():
    step = Environment(machine=Machine(gpus=2, memory_gib=8.0))
    found = answer(step)
    assert step.picture(found, LABELS).values["described"] == (
        "simulated, laid out like nvidia-smi; Driver N/A   CUDA Version N/A; "
        "GPU 0  Simulated GPU 0;   Temp N/A   Pwr:Usage/Cap N/A / N/A; "
        "  Memory-Usage 0MiB / 8192MiB;   GPU-Util N/A; "
        "GPU 1  Simulated GPU 1;   Temp N/A   Pwr:Usage/Cap N/A / N/A; "
        "  Memory-Usage 0MiB / 8192MiB;   GPU-Util N/A"
    )
    assert found.table[1][:2] == ("cuda:0", "simulated")
    assert "GPU 0" not in found.lines[0].printed  # no output of a tool that does not exist


def test_a_zero_is_a_reading_and_a_missing_sensor_is_none():
    gpu = Accelerator(
        kind=AcceleratorKind.CUDA,
        name="A GPU",
        physical_index=3,
        memory_used_bytes=GIBIBYTE,
        memory_total_bytes=8 * GIBIBYTE,
        utilisation_percent=0,
        power_watts=76.0,
    )
    smi = Smi(accelerators=(gpu,), is_simulated=False, driver_version="570.1")

    picture = draw(smi, labels_of(find("devices", "environment")[0], Language.ZH))
    for shown in ("GPU 3  A GPU", "Temp N/A", "76.0W / N/A", "1024MiB / 8192MiB", "GPU-Util 0%"):
        assert shown in picture.values["described"]
    assert ">Temp</tspan>" in picture.svg  # its meaning has a line of its own


def test_the_real_tool_is_run_or_said_to_be_absent_and_home_needs_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", f"{tmp_path}")
    absent = answer(Environment(machine=REAL))
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\necho table\n: > {tmp_path}/ran\n")
    tool.chmod(0o755)
    answer(Environment(machine=REAL, report=Report.ENVIRONMENT))
    assert not (tmp_path / "ran").exists()

    there = answer(Environment(machine=REAL))

    assert (tmp_path / "ran").exists()
    assert absent.lines[0].printed == "nvidia-smi: command not found"
    assert there.lines[0].printed == "table\n"
    assert draw(Smi(accelerators=(), is_simulated=False), LABELS).values["described"] == "—"
    assert absent.explanation == there.explanation == "this-server"
