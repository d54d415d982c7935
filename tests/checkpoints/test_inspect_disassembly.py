import io
import os
import pickle
import pickletools
import subprocess
import zlib

import numpy as np
import pytest
import torch

from playground.checkpoints.inspect import Verdict, disassemble, inspect
from playground.checkpoints.inspect.disassembly import MAX_INSTRUCTIONS
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.odd_files import packed, tar_file
from tests.checkpoints.tables import saved

HONEST = saved(torch.nn.Linear(2, 2).state_dict())


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
    assert "touch caught" in found.text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("data", "argument", "key"),
    [
        (pickle.dumps(Calls(eval, "1 + 1"), 2), "1 + 1", "call_python"),
        (pickle.dumps(Calls(exec, "x = 1"), 2), "x = 1", "call_python"),
        (pickle.dumps(Calls(subprocess.Popen, "ls"), 2), "ls", "call_shell"),
        (pickle.dumps(Calls(os.remove, "file"), 2), "file", "call_program"),
        (pickle.dumps(Calls(len, "abc"), 2), "abc", "call_program"),
        (pickle.dumps(Calls(torch.tensor, "x"), 2), "x", "call"),
        (saved(Calls(os.system, "echo unsafe")), "echo unsafe", "call_shell"),
        (by_hand.pickled(b"(X\2\0\0\0lsios\nsystem\n"), "'ls'", "call_shell"),
        (by_hand.pickled(b"(cos\nsystem\nX\2\0\0\0lso"), "'ls'", "call_shell"),
    ],
)
def test_other_calls_and_old_ways_to_call_are_reported_as_what_they_are(data, argument, key):
    called = disassemble(data).forbidden[-1]

    assert called.remark.key == key
    assert argument in called.remark.text("en")


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04", bytes(100), b"\x80", HONEST])
def test_neither_an_honest_checkpoint_nor_what_is_no_pickle_has_lines_of_harm(data):
    found = disassemble(data)

    assert not found.forbidden
    assert any(line.remark for line in found.lines) == (data is HONEST)


def test_a_long_pickle_is_cut():
    found = disassemble(by_hand.pickled(b"N" * 10_000))

    assert len(found.lines) == MAX_INSTRUCTIONS
    assert found.is_cut


def npz(save) -> bytes:
    target = io.BytesIO()
    save(target, a=np.ones(3), b=np.ones((2, 2)))
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "reason", "advice"),
    [
        (npz(np.savez), "npz", "npz"),
        (npz(np.savez_compressed), "npz", "npz"),
        (packed("model/", "model/net.PTH"), "around", "unpack"),
        (packed("model.safetensors", "config.json"), "around", "unpack"),
        (packed("net/.data/extern_modules", "net/model/model.pkl"), "package", "state_dict"),
        (packed("config.json", "model.weights.h5"), "named", "other"),
    ],
)
def test_a_zip_is_reported_by_what_is_in_it(data, reason, advice):
    found = inspect(data, "some.pt")

    assert found.verdict is Verdict.NOT_A_CHECKPOINT
    assert (found.why.key, found.instead.key) == (f"not_a_checkpoint_{reason}", advice)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0", "ONNX"),
        (b"\x08\x0e:3\n\x0c\n\x01x\x12\x01y", "ONNX"),
        (b"\x08\x0a\x12\x00:3\n\x0c\n\x01x\x12\x01y", "ONNX"),
        (b"\x1c\x00\x00\x00TFL3" + bytes(40), "TFLite"),
        (b"\x1c\x00\x00\x00ET12" + bytes(40), "ExecuTorch"),
        (b'{\n  "weight_map": {}\n}\n', "JSON"),
        *((zlib.compress(bytes(range(256)), level), "zlib") for level in range(10)),
        (b"\x28\xb5\x2f\xfd" + bytes(40), "zstd"),
        (b"\n  x^2 + y^2 = 1\n", "x^2 + y^2 = 1"),  # as zlib begins
    ],
)
def test_a_kind_without_a_verdict_is_named(data, kind):
    found = inspect(data, "model.pt")

    assert found.verdict is Verdict.UNKNOWN
    assert kind in found.reason


@pytest.mark.parametrize(
    "text", [b'{"meta":{"hidden_size": 768}}', b"body    {color: red}", b'{"a": 1}{"a": 2}\n']
)
def test_a_text_with_a_brace_as_its_ninth_byte_is_recognised_as_a_text(text):
    found = inspect(text, "config.json")

    assert (found.verdict, found.why.key) == (Verdict.BAD_HEADER, "bad_header_text")
    assert found.instead.key == "other"


def test_a_tar_that_torch_never_wrote_is_to_be_unpacked():
    assert inspect(tar_file("model.safetensors"), "model.tar").instead.key == "unpack"
    assert inspect(tar_file(), "model.pt").instead.key == "resave"
