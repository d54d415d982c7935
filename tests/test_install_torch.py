"""tools/install_torch.sh chooses the build of torch, and tools/find_python.sh the Python.

The expected builds are those of PyTorch's compatibility matrix: CUDA 13.0 for driver 580 and
compute capability 7.5 or later, CUDA 12.6 for driver 525 and capabilities 5.0 to 9.0.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKS = "exit 0"
IS_NOT_ACTIVE = "exit 127"  # pyenv's command for a version that is installed and not chosen
HAS_NO_VENV = "exit 1"  # an ImportError
KNOWS_NO_CAPABILITY = "case $1 in *compute_cap*) echo not a valid field; exit 2 ;; esac"


def add_command(folder: Path, name: str, body: str) -> str:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    file.chmod(0o755)
    return str(file)


def run(script: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(ROOT / "tools" / script), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def choose(folder: Path, *gpus: str, before: str = "", **environment: str):
    """Run the script where nvidia-smi lists these GPUs; without one it fails."""
    listed = "\\n".join(gpus)
    ends = f"printf '{listed}\\n'\nexit {0 if gpus else 9}"
    add_command(folder, "nvidia-smi", f"{before}\n{ends}")
    return run("install_torch.sh", PATH=f"{folder}:{os.environ['PATH']}", **environment)


def find(folder: Path, *asked: str) -> subprocess.CompletedProcess[str]:
    return run("find_python.sh", *asked, PATH=str(folder))


@pytest.mark.parametrize(
    ("gpus", "build"),
    [
        ((), "cpu"),
        (("580.65.06, 9.0",), "cu130"),
        (("580.65.06, 7.5", "580.65.06, 12.0"), "cu130"),
        (("595.10, 7.0",), "cu126"),  # Volta
        (("535.104.05, 8.0",), "cu126"),
        (("525.60.13, 5.0", "525.60.13, 9.0"), "cu126"),
    ],
)
def test_the_driver_decides(tmp_path, gpus, build):
    chosen = choose(tmp_path, *gpus)
    assert (chosen.stdout, chosen.stderr) == (f"{build}\n", "")


@pytest.mark.parametrize(
    "gpus",
    [
        ("470.82.01, 7.5",),
        ("570.124.06, 12.0",),  # Blackwell needs a build for CUDA 12.8 or later
        ("580.65.06, 12.0", "580.65.06, 6.1"),  # no build has both
    ],
)
def test_a_gpu_that_no_build_can_use_is_said_to_be_simulated(tmp_path, gpus):
    chosen = choose(tmp_path, *gpus)
    assert chosen.stdout == "cpu\n"
    assert gpus[0].partition(".")[0] in chosen.stderr
    assert "GPUs are simulated" in chosen.stderr


def test_a_driver_that_does_not_know_the_capability_is_said_to_be_too_old(tmp_path):
    chosen = choose(tmp_path, "470.82.01", before=KNOWS_NO_CAPABILITY)
    assert chosen.stdout == "cpu\n"
    assert chosen.stderr.startswith("No CUDA build of torch runs with NVIDIA driver 470: ")


def test_another_build_can_be_named(tmp_path):
    assert choose(tmp_path, "580.65.06, 9.0", TORCH="cpu").stdout == "cpu\n"
    assert choose(tmp_path, TORCH="cu126").stdout == "cu126\n"
    wrong = choose(tmp_path, TORCH="cuda13")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "cuda13" in wrong.stderr


def test_the_newest_that_works_is_taken(tmp_path):
    add_command(tmp_path, "python3.14", IS_NOT_ACTIVE)
    add_command(tmp_path, "python3.13", HAS_NO_VENV)
    add_command(tmp_path, "python3.12", WORKS)
    add_command(tmp_path, "python3.11", WORKS)

    assert find(tmp_path).stdout == "python3.12\n"
    assert find(tmp_path, "").stdout == "python3.12\n"  # make's variable that is not set


def test_the_one_that_is_asked_for_is_taken_and_no_other_in_its_place(tmp_path):
    add_command(tmp_path, "python3.12", WORKS)
    assert find(tmp_path, sys.executable).stdout == f"{sys.executable}\n"
    found = find(tmp_path, "python3.13")
    assert (found.returncode, found.stdout) == (1, "")
    assert ", and python3.13 is none that works: " in found.stderr


def test_without_any_one_sentence_says_what_to_install(tmp_path):
    found = find(tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    (sentence,) = found.stderr.splitlines()
    assert sentence.startswith("Python 3.11, 3.12, 3.13 or 3.14 is needed: install one")


@pytest.mark.parametrize("version", ["3.10.14", "3.11.0", "3.14.9", "3.15.0"])
def test_the_versions_are_those_of_the_project(tmp_path, version):
    reported = tuple(map(int, version.split(".")))
    python = f'shift\nexec "{sys.executable}" -c "import sys; sys.version_info = {reported}; $1"'
    found = find(tmp_path, add_command(tmp_path, "python", python))
    is_supported = SpecifierSet(PROJECT["requires-python"]).contains(version)
    assert (found.returncode == 0) is is_supported
