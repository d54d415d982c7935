from functools import partial

import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.checkpoints.inspect import Verdict, disassemble, inspect
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.odd_files import ODD_FILES
from tests.checkpoints.tables import DTYPES, found_table, inspected, read_table, saved

TORCH_FILE = saved({"w": torch.nn.Linear(2, 1).weight, "epoch": 3})
SAFE_FILE = safetensors.torch.save({"w": torch.ones(2, 2), "b": torch.zeros(3)}, {"k": "v"})
ODD = tuple(data for _, _, made in ODD_FILES if len(data := made()) < 10_000)
GOOD = next(each.data for each in by_hand.read_records(TORCH_FILE) if "data.pkl" in each.name)
calmly = partial(settings, suppress_health_check=list(HealthCheck))
STARTS = [b"", b"PK\x03\x04", b"\x80\x02", b"{", b"12345678{"]
SHAPES = st.lists(st.integers(0, 4), max_size=4)
KEYS = st.text(max_size=8) | st.integers()
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


def repacked(pickle):
    """The good file around another pickle, with checksums that fit."""
    return by_hand.with_record(TORCH_FILE, "data.pkl", pickle)


def agrees(data):
    """An inspection, whose word must be torch's or the library's where it accepts."""
    found = inspect(data, "x.pt")
    disassemble(data)
    if found.accepted:
        assert found_table(found) == read_table(data, found)
    return found


def flipped(data, bits=range(8)):
    """The data with one bit of one byte flipped, for every byte."""
    for place in range(len(data)):
        for bit in bits:
            yield data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def test_a_flipped_bit_anywhere_in_a_pickle_is_refused_or_read_as_torch_reads_it():
    found = [agrees(repacked(pickle)) for pickle in flipped(GOOD)]

    accepted = sum(each.accepted for each in found)
    assert 0 < accepted < len(found) // 2  # names and plain numbers may change


def test_a_flipped_bit_anywhere_in_safetensors_is_refused_or_read_as_the_library_reads_it():
    found = [agrees(data) for data in flipped(SAFE_FILE)]

    assert any(each.accepted for each in found)  # numbers have no checksum there


def test_a_flipped_bit_in_a_zip_changes_nothing_or_is_refused():
    table = found_table(agrees(TORCH_FILE))

    found = [agrees(data) for data in flipped(TORCH_FILE, (0, 5))]

    assert all(found_table(each) == table for each in found if each.accepted)


@pytest.mark.parametrize("data", [TORCH_FILE, SAFE_FILE], ids=["torch", "safetensors"])
def test_what_is_cut_off_anywhere_is_refused(data):
    for size in range(len(data)):
        assert not inspect(data[:size], "x.pt").accepted
        assert not inspect(data[-size:] if size else b"", "x.pt").accepted


@calmly(max_examples=400)
@given(st.data())
def test_spliced_files_never_raise_and_are_never_believed_wrongly(data):
    left, right = (data.draw(st.sampled_from((TORCH_FILE, SAFE_FILE, *ODD))) for _ in "ab")
    cut = data.draw(st.integers(0, len(left)))
    again = data.draw(st.integers(0, len(right)))

    agrees(left[:cut] + right[again:])


@calmly(max_examples=400)
@given(st.data())
def test_spliced_pickles_never_raise_and_are_never_believed_wrongly(data):
    first, second, third = sorted(data.draw(st.integers(2, len(GOOD))) for _ in "abc")
    middle = data.draw(st.binary(max_size=8) | st.just(GOOD[second:third]))

    agrees(repacked(GOOD[:first] + middle + GOOD[second:]))


@calmly(max_examples=400)
@given(st.binary(max_size=300), st.sampled_from(STARTS))
def test_any_bytes_get_a_verdict(data, start):
    assert not inspected(start + data).accepted
    disassemble(start + data)


@st.composite
def tensors(draw):
    tensor = torch.zeros(draw(SHAPES)).to(draw(st.sampled_from(DTYPES)))
    for _ in range(draw(st.integers(0, 2))):
        if tensor.dim():
            dim = draw(st.integers(0, tensor.dim() - 1))
            views = tensor.transpose(0, dim), tensor.narrow(dim, 0, 0), tensor[:1]
            tensor = draw(st.sampled_from(views))
    return tensor


@calmly(max_examples=100)
@given(
    st.recursive(
        tensors() | VALUES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=12,
    )
)
def test_whatever_torch_saves_is_read_back_exactly(thing):
    found = agrees(saved(thing))

    assert found.accepted or found.verdict is Verdict.BAD_KEYS


@pytest.mark.parametrize("data", [TORCH_FILE, SAFE_FILE, b"hello"], ids=["torch", "safe", "other"])
@pytest.mark.parametrize("error", [ValueError, MemoryError, RecursionError])
def test_a_fault_of_the_inspector_is_a_refusal(data, error, monkeypatch):
    def fail(*arguments):
        raise error("secret")

    for name in ("open_archive", "read_header", "recognise"):
        monkeypatch.setattr(f"playground.checkpoints.inspect.{name}", fail)

    found = inspect(data, "x.pt")

    assert not found.accepted
    assert "secret" not in found.reason + found.advice
