import functools
import hashlib
import itertools
import unicodedata
from types import SimpleNamespace

import pytest
import safetensors.torch
import torch
from torch import nn

from playground.checkpoints import verification
from playground.checkpoints.inspect import Verdict, inspect
from playground.checkpoints.inspect.results import display_text
from playground.checkpoints.load import load
from playground.checkpoints.verification import lines_of
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.tables import found_table, read_table, saved, torch_load

WEIGHTS = {"weight": torch.arange(6.0)}
FILE = saved(WEIGHTS)
TENSOR = torch.ones(1)
LONG = [f"{place}" + "k" * 198 for place in range(5)]  # 995 characters


def dtypes():
    return [each for each in vars(torch).values() if isinstance(each, torch.dtype)]


def devices():
    """One of each kind that torch knows, from its own complaint about one that it does not."""
    with pytest.raises(RuntimeError) as complaint:
        torch.device("nonsense")
    kinds = str(complaint.value).split("one of ")[1].split(" device type")[0].split(", ")
    return [torch.device(kind, 1) for kind in kinds if kind != "cpu"]


@pytest.mark.filterwarnings("ignore:'mkldnn' is no longer used")
@pytest.mark.parametrize("every", [dtypes, devices])
def test_every_dtype_and_device_that_torch_can_name_may_stand_in_a_file(every):
    data = saved(every())

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    loaded = torch_load(data)
    assert len(loaded) > 10
    assert [value.text for value in found.structure.values] == [str(each) for each in loaded]


@pytest.mark.filterwarnings("ignore")
def test_the_versions_that_spectral_norm_notes_are_versions():
    data = saved(nn.Sequential(nn.utils.spectral_norm(nn.Linear(3, 2))).state_dict())

    found = inspect(data, "x.pt")

    assert found.accepted, found.reason
    assert found_table(found) == read_table(data, found)


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
    keys = by_hand.dict_of((by_hand.number(number), b"N"))

    found = inspect(by_hand.checkpoint(keys), "odd.pt")

    assert found.verdict is verdict
    assert (found.why.key == "bad_keys_number") == (verdict is Verdict.BAD_KEYS)


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
        torch_load(data)

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

    found = inspect(data, "x.pt")

    assert found_table(found) == read_table(data, found)


def test_a_file_that_was_saved_without_checksums_is_not_called_damaged():
    torch.serialization.set_crc32_options(False)
    try:
        data = saved(WEIGHTS)
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

    assert found_table(found) == read_table(data, found) != []


@pytest.mark.parametrize("length", [1_000, 1_001])
def test_a_key_has_a_thousand_characters_at_most(length):
    key = "k" * length
    files = saved({key: TENSOR}), safetensors.torch.save({key: TENSOR})

    verdicts = {inspect(data, "long.pt").verdict for data in files}

    assert verdicts == {Verdict.OK if length == 1_000 else Verdict.BAD_KEYS}


@pytest.mark.parametrize("length", [5, 6])
def test_all_keys_that_lead_to_a_value_have_a_thousand_characters_at_most(length):
    nested = functools.reduce(lambda value, key: {key: value}, ["k" * length, *LONG], TENSOR)

    found = inspect(saved(nested), "long.pt")

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


def test_what_leads_to_many_tensors_is_hashed_once_by_each_side(child, monkeypatch):
    count = 1_000
    keys = b"".join(b"}" + by_hand.text(key) for key in LONG)
    tensors = b"](" + by_hand.tensor() + b"q\x02" + b"h\x02" * (count - 1) + b"e"
    data = by_hand.checkpoint(keys + tensors + b"s" * len(LONG))
    hashed: list[int] = []

    def sha256(data: bytes) -> object:
        hashed.append(len(data))
        return hashlib.sha256(data)

    monkeypatch.setattr(verification, "hashlib", SimpleNamespace(sha256=sha256))
    child()
    report = load(data, "long.pt")

    assert report.accepted, report.reason
    assert len(hashed) == 2 * (count + 2 * len(LONG) + 1)  # a line, a key and its path, the table
    assert sum(hashed) < 2 * 200 * count


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
