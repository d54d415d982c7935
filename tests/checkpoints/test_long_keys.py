"""Keys that a stranger made long: how long they may be, and that they cost what they weigh."""

import hashlib
import io
import itertools
import unicodedata
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch

from playground.checkpoints import load as loading
from playground.checkpoints import verification
from playground.checkpoints.inspect import Verdict, inspect
from playground.checkpoints.inspect.verdicts import display_text
from playground.checkpoints.jailed import task
from playground.checkpoints.save import save_torch
from playground.checkpoints.verification import lines_of
from playground.sandbox.jail import JailAnswer
from playground.sandbox.limits import LIMITS
from tests.checkpoints import handmade as by_hand

TENSOR = torch.ones(1)
LONG = [f"{place}" + "k" * 198 for place in range(5)]  # 995 characters


def nested(*keys: str) -> object:
    value: object = TENSOR
    for key in reversed(keys):
        value = {key: value}
    return value


@pytest.mark.parametrize("length", [1_000, 1_001])
def test_a_key_has_a_thousand_characters_at_most(length):
    key = "k" * length
    files = [save_torch({key: TENSOR}).data, safetensors.torch.save({key: TENSOR})]

    verdicts = {inspect(data, "long.pt").verdict for data in files}

    assert verdicts == {Verdict.OK if length == 1_000 else Verdict.BAD_KEYS}


@pytest.mark.parametrize("length", [5, 6])
def test_all_keys_that_lead_to_a_value_have_a_thousand_characters_at_most(length):
    found = inspect(save_torch(nested(*LONG, "k" * length)).data, "long.pt")

    assert found.accepted == (length == 5)
    if length == 6:
        assert (found.verdict, found.why.key) == (Verdict.BAD_KEYS, "bad_keys_path")


def test_every_character_that_cannot_be_shown_is_an_escape_and_no_other():
    for letter in map(chr, range(2**16)):
        escape = letter.encode("ascii", "backslashreplace").decode()
        if letter < "\x80":
            escape = f"\\x{ord(letter):02x}"
        assert display_text(letter) in (letter, escape)
        if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp"):
            assert display_text(letter) == escape
        if letter.isprintable():
            assert display_text(letter) == letter


def test_what_leads_to_many_tensors_is_hashed_once_by_each_side(monkeypatch):
    count = 1_000
    keys = b"".join(b"}" + by_hand.text(key) for key in LONG)
    tensors = b"](" + by_hand.tensor() + b"q\x02" + b"h\x02" * (count - 1) + b"e"
    data = by_hand.checkpoint(keys + tensors + b"s" * len(LONG))
    hashed: list[int] = []

    def sha256(data: bytes) -> object:
        hashed.append(len(data))
        return hashlib.sha256(data)

    monkeypatch.setattr(verification, "hashlib", SimpleNamespace(sha256=sha256))
    answered = task.load_checkpoint({"format": "torch"}, io.BytesIO(data), LIMITS)
    by_child, hashed = hashed, []
    jail = SimpleNamespace(run=lambda *_, **__: JailAnswer(value=answered))
    monkeypatch.setattr(loading, "jail", jail)
    report = loading.load(data, "long.pt")

    assert report.accepted, report.reason
    for each in (by_child, hashed):
        assert len(each) == count + 2 * len(LONG) + 1  # a line, a key and its path, the table
        assert sum(each) < 200 * count


def test_different_tensors_have_different_lines():
    keys = (1, 11, "1", "k", "k1", "", "whole")
    paths = [(), *((key,) for key in keys), *itertools.product(keys, keys)]
    tensors = [
        (path, dtype, shape)
        for path in paths
        for dtype in ("int8", "int16")
        for shape in ((), (1,), (1, 1), (11,))
    ]

    assert len(set(lines_of(tensors))) == len(tensors)
    assert lines_of(tensors) == [lines_of([each])[0] for each in tensors]
