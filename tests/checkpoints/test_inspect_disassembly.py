import io
import os
import pickle
import pickletools
import subprocess

import pytest
import torch

from playground.checkpoints.inspect import disassemble, inspect
from playground.checkpoints.inspect.disassembly import MAX_INSTRUCTIONS
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.tables import saved


class Calls:
    """Pickles into a call of anything."""

    def __init__(self, called, *arguments):
        self.asked = called, arguments

    def __reduce__(self):
        return self.asked


@pytest.mark.parametrize("protocol", range(6))
def test_the_opcodes_are_those_of_pythons_own_disassembler(protocol):
    thing = {"a": [1, -2.5, "x", None, True, 2**70, b"y", (1, 2, 3, 4)], 3: {4}, "e": "é" * 300}
    data = pickle.dumps(thing, protocol)

    found = disassemble(data)

    expected = [(place, opcode.name) for opcode, _, place in pickletools.genops(data)]
    assert [(each.instruction.at, each.instruction.name) for each in found.lines] == expected
    assert all(len(each.instruction.argument) <= 200 for each in found.lines)


@pytest.mark.parametrize("protocol", range(6))
def test_a_shell_command_is_marked_and_reported_but_not_run(protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(Calls(os.system, "touch caught"), protocol)

    found = disassemble(data)

    named, called = found.forbidden
    assert "posix.system" in named.remark.text("en")
    assert called.instruction.name == "REDUCE"
    assert called.remark.key == "call_shell"
    assert "touch caught" in called.remark.text("zh")
    assert not list(tmp_path.iterdir())


def test_the_pickle_inside_a_file_of_torch_is_found_and_torch_refuses_it_too():
    data = saved(Calls(os.system, "echo unsafe"))

    found = disassemble(data)

    assert [each.instruction.name for each in found.forbidden] == ["GLOBAL", "REDUCE"]
    assert "posix.system" in found.text
    assert not inspect(data, "x.pt").accepted
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(data), weights_only=True)


@pytest.mark.parametrize(
    ("called", "argument", "key"),
    [
        (eval, "1 + 1", "call_python"),
        (exec, "x = 1", "call_python"),
        (subprocess.Popen, "ls", "call_shell"),
        (os.remove, "file", "call_program"),
        (len, "abc", "call_program"),
        (torch.tensor, "x", "call"),
    ],
)
def test_other_calls_are_reported_as_what_they_are(called, argument, key):
    found = disassemble(pickle.dumps(Calls(called, argument), 2))

    assert found.forbidden[-1].remark.key == key
    assert argument in found.forbidden[-1].remark.text("en")


OLD_CALLS = (b"(X\2\0\0\0lsios\nsystem\n", b"(cos\nsystem\nX\2\0\0\0lso")


@pytest.mark.parametrize("body", OLD_CALLS)
def test_old_ways_to_call_are_reported_too(body):
    called = disassemble(by_hand.pickled(body)).forbidden[-1]

    assert called.remark.key == "call_shell"
    assert "'ls'" in called.remark.text("en")


def test_an_honest_checkpoint_has_no_forbidden_line():
    found = disassemble(saved(torch.nn.Linear(2, 2).state_dict()))

    assert found.lines
    assert not found.forbidden
    assert any(line.remark for line in found.lines)


def test_a_long_pickle_is_cut():
    found = disassemble(by_hand.pickled(b"N" * 10_000))

    assert len(found.lines) == MAX_INSTRUCTIONS
    assert found.is_cut


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04", bytes(100), b"\x80"])
def test_what_is_no_pickle_has_no_lines_of_harm(data):
    assert not disassemble(data).forbidden
