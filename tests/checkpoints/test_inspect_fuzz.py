from functools import partial

import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.checkpoints.inspect import Verdict, disassemble, inspect, inspector
from tests.checkpoints import handmade as by_hand
from tests.checkpoints.odd_files import ODD_FILES
from tests.checkpoints.tables import found_table, inspected, read_table, saved, torch_table

LINEAR = torch.nn.Linear(2, 1)
MODEL = {"w": LINEAR.weight, "epoch": 3}
TORCH_FILE = saved(MODEL)
SAFE_FILE = safetensors.torch.save({"w": torch.ones(2, 2), "b": torch.zeros(3)}, {"k": "v"})
ODD = tuple(made() for _, _, made in ODD_FILES)
SMALL_ODD = tuple(data for data in ODD if len(data) < 10_000)
GOOD = next(each.data for each in by_hand.read_records(TORCH_FILE) if "data.pkl" in each.name)
calmly = partial(settings, suppress_health_check=list(HealthCheck))


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


def flipped(data):
    """The data with one bit flipped, for every bit."""
    for place in range(len(data)):
        for bit in range(8):
            yield data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def test_a_flipped_bit_anywhere_in_a_pickle_is_refused_or_read_as_torch_reads_it():
    found = [agrees(repacked(pickle)) for pickle in flipped(GOOD)]

    accepted = [each for each in found if each.accepted]
    assert 0 < len(accepted) < len(found) // 2  # names and plain numbers may change


def test_a_flipped_bit_anywhere_in_safetensors_is_refused_or_read_as_the_library_reads_it():
    found = [agrees(data) for data in flipped(SAFE_FILE)]

    assert any(each.accepted for each in found)  # numbers have no checksum there


@pytest.mark.parametrize("bit", [0, 5])
def test_a_flipped_bit_in_a_zip_changes_nothing_or_is_refused(bit):
    table = torch_table(TORCH_FILE)
    for place in range(len(TORCH_FILE)):
        changed = bytes([TORCH_FILE[place] ^ 1 << bit])
        data = TORCH_FILE[:place] + changed + TORCH_FILE[place + 1 :]
        found = inspect(data, "x.pt")
        if found.accepted:
            assert found_table(found) == table == torch_table(data)


@pytest.mark.parametrize("data", [TORCH_FILE, SAFE_FILE], ids=["torch", "safetensors"])
def test_what_is_cut_off_anywhere_is_refused(data):
    for size in range(len(data)):
        assert not inspect(data[:size], "x.pt").accepted
        assert not inspect(data[-size:] if size else b"", "x.pt").accepted


@calmly(max_examples=400)
@given(st.data())
def test_spliced_files_never_raise_and_are_never_believed_wrongly(data):
    left, right = (data.draw(st.sampled_from((TORCH_FILE, SAFE_FILE, *SMALL_ODD))) for _ in "ab")
    cut = data.draw(st.integers(0, len(left)))
    again = data.draw(st.integers(0, len(right)))

    agrees(left[:cut] + right[again:])


@calmly(max_examples=400)
@given(st.data())
def test_spliced_pickles_never_raise_and_are_never_believed_wrongly(data):
    first, second, third = sorted(data.draw(st.integers(2, len(GOOD))) for _ in "abc")
    middle = data.draw(st.binary(max_size=8) | st.just(GOOD[second:third]))

    agrees(repacked(GOOD[:first] + middle + GOOD[second:]))


STARTS = [b"", b"PK\x03\x04", b"\x80\x02", b"{", b"12345678{"]


@calmly(max_examples=400)
@given(st.binary(max_size=300), st.sampled_from(STARTS))
def test_any_bytes_get_a_verdict(data, start):
    assert not inspected(start + data).accepted
    disassemble(start + data)


@pytest.mark.parametrize("good", [TORCH_FILE, SAFE_FILE], ids=["torch", "safetensors"])
@calmly(max_examples=40)
@given(before=st.binary(max_size=20), after=st.binary(max_size=40))
def test_a_file_with_something_around_it_is_refused(good, before, after):
    assert inspected(before + good + after).accepted == (before == after == b"")


SHAPES = st.lists(st.integers(0, 4), max_size=4)
KEYS = st.text(max_size=8, alphabet=st.characters(exclude_categories=["Cs"])) | st.integers()
DTYPES = st.sampled_from([torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64])
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


@st.composite
def tensors(draw):
    tensor = torch.zeros(draw(SHAPES)).to(draw(DTYPES))
    for _ in range(draw(st.integers(0, 2))):
        if tensor.dim():
            dim = draw(st.integers(0, tensor.dim() - 1))
            tensor = draw(
                st.sampled_from([tensor.transpose(0, dim), tensor.narrow(dim, 0, 0), tensor[:1]])
            )
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

    assert found.accepted or found.verdict is Verdict.BAD_KEYS or has_surrogate(thing)


def has_surrogate(thing):
    try:
        str(thing).encode()
    except UnicodeEncodeError:
        return True
    return False


@pytest.mark.parametrize("data", [TORCH_FILE, SAFE_FILE, b"hello"], ids=["torch", "safe", "other"])
@pytest.mark.parametrize("error", [ValueError, MemoryError, RecursionError])
def test_a_fault_of_the_inspector_is_a_refusal(data, error, monkeypatch):
    def fail(*arguments):
        raise error("secret")

    for name in ("open_archive", "read_header", "recognise"):
        monkeypatch.setattr(inspector, name, fail)

    found = inspect(data, "x.pt")

    assert not found.accepted
    assert "secret" not in found.reason + found.advice
