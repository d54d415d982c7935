import hashlib
import io
import itertools
import struct
import sys
import unicodedata
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch
from torch import nn

from playground.checkpoints import load as loading
from playground.checkpoints import verification
from playground.checkpoints.inspect import Verdict, inspect, limits
from playground.checkpoints.inspect.verdicts import display_text
from playground.checkpoints.jailed import task
from playground.checkpoints.save import save_torch
from playground.checkpoints.verification import lines_of
from playground.sandbox.jail import JailAnswer
from playground.sandbox.limits import LIMITS
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.tables import found_table, saved, torch_table


def kinds_of_devices():
    """All that torch knows, from its own complaint about one that it does not."""
    with pytest.raises(RuntimeError) as complaint:
        torch.device("nonsense")
    return str(complaint.value).split("one of ")[1].split(" device type")[0].split(", ")


def test_every_dtype_of_torch_may_stand_in_a_file():
    dtypes = {each for each in vars(torch).values() if isinstance(each, torch.dtype)}

    found = inspect(saved({str(each): each for each in dtypes}), "x.pt")

    assert found.accepted, found.reason
    assert {value.name: value.text for value in found.structure.values} == {
        str(each): str(each) for each in dtypes
    }


@pytest.mark.filterwarnings("ignore:'mkldnn' is no longer used")
def test_every_device_that_torch_can_name_may_stand_in_a_file():
    devices = {kind: torch.device(kind, 1) for kind in kinds_of_devices() if kind != "cpu"}
    assert len(devices) > 10

    data = saved(devices)
    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    loaded = torch.load(io.BytesIO(data), weights_only=True)
    assert {value.name: value.text for value in found.structure.values} == {
        kind: str(device) for kind, device in loaded.items()
    }


@pytest.mark.filterwarnings("ignore")
def test_the_versions_that_spectral_norm_notes_are_versions():
    data = saved(nn.Sequential(nn.utils.spectral_norm(nn.Linear(3, 2))).state_dict())

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found_table(found) == torch_table(data)


@pytest.mark.parametrize("version", [b"]", b")", by_hand.HOOKS + b"\x85", by_hand.tensor()])
def test_what_is_no_version_is_refused(version):
    nested = by_hand.dict_of((by_hand.text("spectral_norm"), version))
    inner = by_hand.dict_of((by_hand.text("version"), nested))
    of_module = by_hand.dict_of((by_hand.text(""), inner))
    metadata = by_hand.dict_of((by_hand.text("_metadata"), of_module))

    found = inspect(by_hand.checkpoint(by_hand.HOOKS + metadata + b"b"), "x.pt")

    assert found.verdict is Verdict.BAD_PICKLE


# -- numbers that a stranger chose so that a dict of Python would take minutes over them ----------

HASH_MODULUS = sys.hash_info.modulus


def keys(*numbers: int) -> bytes:
    return by_hand.checkpoint(by_hand.dict_of(*((by_hand.number(each), b"N") for each in numbers)))


def test_keys_that_all_have_one_hash_are_refused():
    same = [HASH_MODULUS * each for each in range(1, 50)]
    assert len({hash(each) for each in same}) == 1

    found = inspect(keys(*same), "odd.pt")

    assert (found.verdict, found.why.key) == (Verdict.BAD_KEYS, "bad_keys_number")


@pytest.mark.parametrize(
    ("number", "verdict"),
    [
        (-(2**63) - 1, Verdict.BAD_KEYS),
        (-(2**63), Verdict.OK),
        (2**63 - 1, Verdict.OK),
        (2**63, Verdict.BAD_KEYS),
    ],
)
def test_numbers_of_64_bits_are_keys_and_larger_ones_are_none(number, verdict):
    assert inspect(keys(number), "odd.pt").verdict is verdict


@pytest.mark.parametrize("container", [by_hand.dict_of, by_hand.list_of])
def test_no_container_grows_beyond_what_a_file_may_hold(container):
    is_dict = container is by_hand.dict_of
    items = [by_hand.number(each) for each in range(limits.NODES + 1)]
    body = container(*((each, b"N") for each in items)) if is_dict else container(*items)

    assert inspect(by_hand.checkpoint(body), "odd.pt").verdict is Verdict.TOO_MANY_NODES


@pytest.mark.parametrize(
    ("place", "more"),
    [
        (limits.OPCODES, b""),  # a memo has no more places than a pickle has steps
        (2**32 - 1, b""),
        (300, b"h\x07\x86"),  # a place that was skipped holds nothing
    ],
)
def test_odd_places_of_the_memo_are_refused(place, more):
    body = b"Nr" + struct.pack("<I", place) + more

    assert inspect(by_hand.checkpoint(body), "odd.pt").verdict is Verdict.BAD_PICKLE


FILE = saved({"weight": torch.arange(6.0)})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".storage_alignment", b"sixty-four"),
        (".storage_alignment", b""),
        (".storage_alignment", b"6L"),
        (".storage_alignment", b"9" * 5_000),
        (".data/serialization_id", b"\xff" * 40),
        (".data/serialization_id", b"1234\xc3"),
    ],
)
def test_a_record_that_torch_cannot_read_is_refused_before_it_tries(name, content):
    data = by_hand.with_record(FILE, name, content)
    with pytest.raises(ValueError):  # noqa: PT011 - of decoding, or of reading a number
        torch.load(io.BytesIO(data), weights_only=True)

    found = inspect(data, "x.pt")

    assert (found.verdict, found.why.key) == (Verdict.UNEXPECTED_ENTRY, "unexpected_content")
    assert name in found.reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".storage_alignment", b"4096"),
        (".format_version", b"2"),
        (".data/serialization_id", b""),
        (".data/serialization_id", b"1306957282387717882716430064032484844522"),
    ],
)
def test_a_record_that_torch_can_read_is_read(name, content):
    data = by_hand.with_record(FILE, name, content)

    assert found_table(inspect(data, "x.pt")) == torch_table(data)


def test_a_file_that_was_saved_without_checksums_is_not_called_damaged():
    torch.serialization.set_crc32_options(False)
    try:
        data = saved({"weight": torch.arange(6.0)})
    finally:
        torch.serialization.set_crc32_options(True)

    without, changed = inspect(data, "x.pt"), inspect(FILE.replace(b"little", b"middle"), "x.pt")

    assert (without.verdict, without.why.key) == (Verdict.CRC, "crc_none")
    assert "set_crc32_options" in without.advice
    assert (changed.verdict, changed.why.key) == (Verdict.CRC, "crc")


def test_a_record_may_be_named_by_an_address_as_torch_1_6_wrote_it():
    address = "94306734281936"  # of fifteen digits at most
    stored = by_hand.storage(key=address)
    body = by_hand.ordered((by_hand.text("weight"), by_hand.tensor(stored=stored)))
    data = by_hand.checkpoint(body, {address: by_hand.FLOATS})

    found = inspect(data, "old.pth")

    assert found.accepted, found.reason
    assert [(each.name, each.shape) for each in found.tensors] == [("weight", (4,))]
    assert torch.load(io.BytesIO(data), weights_only=True)["weight"].tolist() == [1, 2, 3, 4]


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
