import pytest

from playground.machines.nvidia_smi import NvidiaSmi, NvidiaSmiState, read_nvidia_smi

TABLE = "+---+\n| NVIDIA-SMI 580 |\n+---+\n"
PROCESSES = "\n+---+\n| Processes: |\n|  0  /home/someone/train.py |\n+---+\n"


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Puts a shell script in the place of nvidia-smi, alone on the path."""

    def put(script: str) -> None:
        file = tmp_path / "nvidia-smi"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    return put


def test_its_table_is_kept_and_its_processes_are_not(command):
    command(f"echo '{TABLE}{PROCESSES}'")

    smi = read_nvidia_smi()

    assert smi.state == NvidiaSmiState.ANSWERED
    assert smi.output == TABLE


@pytest.mark.usefixtures("command")
def test_without_the_command_it_is_absent():
    assert read_nvidia_smi() == NvidiaSmi(state=NvidiaSmiState.ABSENT)


def test_its_complaint_is_kept_where_it_fails(command):
    command("echo 'No devices were found'; exit 6")

    assert read_nvidia_smi() == NvidiaSmi(
        state=NvidiaSmiState.FAILED, output="No devices were found\n"
    )


def test_it_is_stopped_when_it_hangs(command):
    command("while true; do :; done")

    assert read_nvidia_smi(timeout_seconds=0.2).state == NvidiaSmiState.TIMED_OUT
