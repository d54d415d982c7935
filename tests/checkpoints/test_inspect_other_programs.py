"""A refusal names the program that wrote the file, and says what to do with such a file."""

import io
import tarfile
import zlib

import numpy as np
import pytest

from playground.checkpoints.inspect import Verdict, inspect
from tests.checkpoints.odd_kinds import packed, tar_file


def npz(save) -> bytes:
    target = io.BytesIO()
    save(target, a=np.ones(3), b=np.ones((2, 2)))
    return target.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_npz_of_numpy_is_no_damaged_zip(save):
    found = inspect(npz(save), "weights.npz")

    assert (found.verdict, found.why.key) == (Verdict.NOT_A_CHECKPOINT, "not_a_checkpoint_npz")
    assert "numpy.load" in found.advice


@pytest.mark.parametrize(
    ("names", "reason", "advice"),
    [
        (["model/", "model/net.PTH"], "around", "unpack"),
        (["model.safetensors", "config.json"], "around", "unpack"),
        (["net/.data/extern_modules", "net/model/model.pkl"], "package", "state_dict"),
        (["config.json", "model.weights.h5"], "named", "other"),
    ],
)
def test_a_zip_is_reported_by_what_is_in_it(names, reason, advice):
    found = inspect(packed(*names), "some.pt")

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
    ],
)
def test_a_kind_without_a_verdict_is_named(data, kind):
    found = inspect(data, "model.pt")

    assert found.verdict is Verdict.UNKNOWN
    assert kind in found.reason


def test_a_text_is_not_taken_for_packed():
    found = inspect(b"\n  x^2 + y^2 = 1\n", "a.txt").why
    assert (found.key, dict(found.values)["line"]) == ("unknown_text", "x^2 + y^2 = 1")


@pytest.mark.parametrize(
    "text", [b'{"meta":{"hidden_size": 768}}', b"body    {color: red}", b'{"a": 1}{"a": 2}\n']
)
def test_a_text_with_a_brace_as_its_ninth_byte_is_recognised_as_a_text(text):
    assert text[8:9] == b"{"

    found = inspect(text, "config.json")

    assert (found.verdict, found.why.key) == (Verdict.BAD_HEADER, "bad_header_text")
    assert found.instead.key == "other"


def test_a_tar_that_torch_never_wrote_is_to_be_unpacked():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("model.safetensors"))

    assert inspect(target.getvalue(), "model.tar").instead.key == "unpack"
    assert inspect(tar_file(), "model.pt").instead.key == "resave"
