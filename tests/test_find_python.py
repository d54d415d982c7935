"""tools/find_python.sh, with the commands of other machines in place of this one's."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[1]
SUPPORTED = SpecifierSet(
    tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
)
WORKS = "exit 0"
IS_NOT_ACTIVE = "exit 127"  # pyenv's command for a version that is installed and not chosen
HAS_NO_VENV = "exit 1"  # an ImportError


def add_command(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    file.chmod(0o755)
    return file


def find(folder: Path, *asked: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", ROOT / "tools" / "find_python.sh", *asked],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
    )


def test_the_newest_that_works_is_taken(tmp_path):
    add_command(tmp_path, "python3.14", IS_NOT_ACTIVE)
    add_command(tmp_path, "python3.13", HAS_NO_VENV)
    add_command(tmp_path, "python3.12", WORKS)
    add_command(tmp_path, "python3.11", WORKS)

    assert find(tmp_path).stdout == "python3.12\n"
    assert find(tmp_path, "").stdout == "python3.12\n"  # make's variable that is not set


def test_the_one_that_is_asked_for_is_taken(tmp_path):
    add_command(tmp_path, "python3.12", WORKS)

    assert find(tmp_path, sys.executable).stdout == f"{sys.executable}\n"


def test_another_is_not_taken_in_place_of_the_one_that_is_asked_for(tmp_path):
    add_command(tmp_path, "python3.12", WORKS)

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
    python = str(add_command(tmp_path, "python", python))

    assert (find(tmp_path, python).returncode == 0) is SUPPORTED.contains(version)
