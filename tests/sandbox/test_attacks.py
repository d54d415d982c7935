"""The attacks before the jail: what the check misses, the facade refuses however it is written."""

import builtins
import enum
import os
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler

from playground import sandbox
from playground.errors import PlaygroundError
from playground.sandbox import facade, runner
from playground.sandbox.check import Level, check, translate
from tests.sandbox.call_variants import VARIANTS, variants
from tests.sandbox.cells import execute, run_cell, run_on_facade
from tests.sandbox.facade_attacks import ATTACKS, REFUSED
from tests.sandbox.jail import attacks

LINES = [
    line.replace("\\n", "\n").replace("BIGSTRING", "a" * 600)
    for line in Path(__file__).with_name("hostile_lines.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("# ")
]
HONEST = {  # students write these, or may
    "a tensor within the limit",
    "recursion",
    "secrets in the environment",  # theirs holds none
    "use a GPU",
}
PASSING = {  # nothing in the syntax is wrong; the limits end them
    *("a busy loop", "a formatted number", "a large power", "a list that doubles", "a loop in C"),
    *("a loop that forgives", "a tensor", "a tensor without end", "matrix products", "sleeping"),
    *("tensors without end", "text", "a loop that forgives everything", "bytes"),
    *("forgiven, and again", "an error that cannot be told"),
}
HARMLESS = ("dict(__class__=1)",)  # the check cannot know
IMPORTED = ("ctypes", "mmap", "multiprocessing", "os", "resource", "signal", "socket", "subprocess")
IMPORTED += ("threading", "time", "torch")  # the jail's own tests find them bound
REFUSALS = (TypeError, ValueError, AttributeError, LookupError, RuntimeError, OSError, NameError)
INSIDE = (
    *(types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, zipfile.ZipFile),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType),
)  # descriptors read any attribute
DANGEROUS = (
    *(getattr(builtins, name) for name in ("open", "eval", "exec", "compile", "__import__")),
    *(os.system, os.getpid, os.listdir, os.read, subprocess.Popen, sys._getframe, type, object),
)


def cells():
    """Name and text of each attack, as a student would have to write it."""
    groups = (attacks.REFUSED, attacks.ANSWERED, attacks.WAITING, attacks.CRASHING)
    found = {}
    for group in (*groups, attacks.COMPUTING, attacks.OUT_OF_MEMORY):
        for name, row in group.items():
            source = row if isinstance(row, str) else row[0]
            needed = [f"import {each}\n" for each in IMPORTED if f"{each}." in source]
            found[name] = "".join(needed) + source
    return found | {f"line {number}": line for number, line in enumerate(LINES)}


CELLS = cells()
HOSTILE = sorted(CELLS.keys() - HONEST - PASSING)


def outside(names):
    """Return the forbidden objects among everything that a program has bound."""
    found, seen = [], set()
    todo = [value for name, value in names.items() if name.isidentifier() and name[:1] != "_"]
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, INSIDE) or any(value is each for each in DANGEROUS):
            found.append(value)
        elif isinstance(value, dict):
            if "__builtins__" in value:
                found.append(value)  # the names of a module
            todo += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            todo += value
        elif isinstance(value, types.MethodType):
            todo.append(value.__self__)
        elif isinstance(value, types.FunctionType) or type(value).__module__ == "__main__":
            todo += getattr(value, "__dict__", {}).values()
        elif isinstance(value, type) and value.__module__ == "__main__":
            todo += [each for name, each in vars(value).items() if name[:1] != "_"]
    return found


@pytest.fixture
def no_jail(monkeypatch):
    """Whatever reaches the jail has passed the check."""
    monkeypatch.setattr(
        runner.jail, "run", Mock(side_effect=PlaygroundError("it reached the jail"))
    )


def is_refused(source):
    return any(each.level is Level.REFUSE for each in check(source))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("ignore")
def test_an_attack_is_refused_with_its_line_before_the_jail_or_by_the_facade(no_jail, name):
    source = CELLS[name]
    if not is_refused(source):
        with pytest.raises(REFUSALS):
            execute(translate(source).source)
        return

    report = sandbox.run(source)

    assert not report.ok
    assert report.line == report.violations[0].line
    assert (report.output, report.value, report.elapsed_seconds) == ("", None, 0.0)
    for violation in report.violations:
        assert 1 <= violation.line <= source.count("\n") + 1
        assert 1 <= violation.column <= len(source.splitlines()[violation.line - 1]) + 1
        assert violation.sentence("en") != violation.sentence("zh")


@pytest.mark.parametrize("name", sorted(PASSING | HONEST))
def test_what_only_the_limits_can_end_is_not_refused(no_jail, name):
    with pytest.raises(PlaygroundError, match="it reached the jail"):
        sandbox.run(CELLS[name])


@pytest.mark.filterwarnings("ignore")
def test_a_hostile_program_written_otherwise_is_refused_by_the_facade():
    passing = [
        source
        for name in HOSTILE
        if not CELLS[name].endswith(HARMLESS) and not CELLS[name].startswith("!")
        for source in variants(translate(CELLS[name]).source).values()
        if not is_refused(source)
    ]

    assert len(passing) > 100
    for source in passing:
        with pytest.raises(REFUSALS):
            execute(source)


@pytest.mark.parametrize("variant", ["", *VARIANTS])
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.filterwarnings("ignore")
def test_no_attack_gets_hold_of_what_is_outside(name, variant):
    source = variants(ATTACKS[name])[variant] if variant else ATTACKS[name]
    assert variant or not is_refused(source)
    assert outside(run_on_facade(source).names) == []


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_what_opens_a_way_out_is_refused(name):
    assert not is_refused(REFUSED[name])
    with pytest.raises((*REFUSALS, AssertionError)):
        execute(REFUSED[name])


@pytest.mark.parametrize("name", ["a type in a scheduler", "a module named by a text"])
@pytest.mark.filterwarnings("ignore")
def test_a_cell_is_run_with_the_patched_classes(name):
    answer, _ = run_cell(f"{ATTACKS[name]}\nfound", names=facade.bind())
    assert answer.error_type == "TypeError"


def test_patched_classes_come_back_after_a_run():
    patched = (torch.nn.Module, torch.utils.data.DataLoader, LambdaLR, LRScheduler, enum.EnumType)
    before = [dict(vars(kind)) for kind in patched]
    execute("x = 1")

    assert [dict(vars(kind)) for kind in patched] == before
