"""Run a shown program as a student would, on any machine."""

import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from playground.compute.outcome import Outcome, attempt
from playground.compute.torch_state import preserve_torch_state
from playground.machines import Machine
from playground.machines.machine_context import running_on

ROOT = Path(__file__).resolve().parents[1]


def run_program(program: str, machine: Machine) -> tuple[object, Outcome]:
    """Execute a program; return what it bound to ``result``, or torch's refusal."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    code = compile(program, "<program>", "exec")
    with preserve_torch_state(), running_on(machine), _away_from_home():
        _, outcome = attempt(lambda: exec(code, namespace))
        return namespace.get("result"), outcome


@contextmanager
def _away_from_home() -> Iterator[None]:
    """What a program writes goes into the folder of its test, or nowhere."""
    if Path.cwd() != ROOT:
        yield
    else:
        with chdir(_elsewhere().name):
            try:
                yield
            finally:
                _empty(Path(_elsewhere().name))


@cache
def _elsewhere() -> "TemporaryDirectory[str]":
    """A folder for all programs, one after the other."""
    return TemporaryDirectory()


def _empty(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
