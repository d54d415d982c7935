"""Valid files, damaged in many ways: what is accepted is read back, and nothing else happens.

The oracle for an accepted file is torch, or safetensors, in this process: the same tensors.
"""

import io
import math
import tracemalloc
import zipfile

import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.checkpoints.inspect import Format, Inspection, inspect
from playground.checkpoints.jailed.task import walk
from playground.checkpoints.load import load
from playground.checkpoints.save import save_safetensors, save_torch
from tests.checkpoints.handmade import Record, zipped

MEMORY_BYTES = 4 * 2**20  # for files of a few kB
FUZZ = settings(
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

torch.manual_seed(7)
BIG = torch.randn(4, 6)
VALUE = {
    "model": {"0.weight": BIG, "0.bias": BIG[0], "0.count": torch.tensor(3)},
    "turned": [BIG.T, (torch.ones(2, dtype=torch.bfloat16), torch.zeros(0))],
    "epoch": 3,
    "rate": 0.5,
}
FLAT = {"0.weight": BIG, "0.bias": BIG[0].clone(), "count": torch.tensor([3, 4])}
TORCH = save_torch(VALUE).data or b""
SAFETENSORS = save_safetensors(FLAT, {"made": "by a test"}).data or b""
FILES = {"torch": TORCH, "safetensors": SAFETENSORS}


def records_of(data: bytes) -> list[Record]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [Record(name, archive.read(name)) for name in archive.namelist()]


RECORDS = records_of(TORCH)
PICKLE = next(each.data for each in RECORDS if each.name.endswith("data.pkl"))


def inspected(data: bytes) -> Inspection:
    """Inspect, and see that it takes no memory to speak of."""
    tracemalloc.start()
    try:
        found = inspect(data, "fuzz.pt")
        assert tracemalloc.get_traced_memory()[1] < MEMORY_BYTES
    finally:
        tracemalloc.stop()
    assert found.reason
    assert found.accepted or found.advice
    return found


def same(number: object, other: object) -> bool:
    return number == other or (math.isnan(float(number)) and math.isnan(float(other)))


def is_read_back(data: bytes) -> bool:
    """Whether a file is accepted; then it must be what torch makes of it, tensor for tensor."""
    found = inspected(data)
    if not found.accepted:
        return False
    report = load(data, "fuzz.pt")
    assert report.accepted, report.reason
    if found.format is Format.SAFETENSORS:
        loaded: object = safetensors.torch.load(data)
    else:
        loaded = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    mine = {".".join(map(str, path)): each for path, each in walk(loaded)}
    assert len(report.tensors) == len(mine) == len(found.tensors)
    for each in report.tensors:
        if each.name not in mine:
            continue  # a name that is not shown as it is
        expected = mine[each.name]
        assert (each.dtype, each.shape) == (str(expected.dtype)[6:], tuple(expected.shape))
        first = expected.flatten()[:8].tolist()
        assert all(same(one, other) for one, other in zip(each.values, first, strict=True))
    return True


@pytest.mark.usefixtures("jailed")
@pytest.mark.parametrize("kind", FILES)
def test_an_undamaged_file_is_read_back(kind):
    assert is_read_back(FILES[kind])


@pytest.mark.usefixtures("jailed")
@pytest.mark.parametrize("kind", FILES)
@settings(FUZZ, max_examples=120)
@given(drawn=st.data())
def test_flipped_bytes(kind, drawn):
    data = bytearray(FILES[kind])
    places = st.one_of(st.integers(0, 200), st.integers(0, len(data) - 1))
    for place in drawn.draw(st.lists(places, min_size=1, max_size=4)):
        data[place] ^= drawn.draw(st.integers(1, 255))

    is_read_back(bytes(data))


@pytest.mark.parametrize("kind", FILES)
def test_a_file_cut_anywhere_is_refused(kind):
    data = FILES[kind]

    for length in {*range(0, len(data), 17), *range(16), *range(len(data) - 120, len(data))}:
        assert not inspected(data[:length]).accepted


@pytest.mark.parametrize("kind", FILES)
@settings(FUZZ, max_examples=40)
@given(before=st.binary(max_size=20), after=st.binary(max_size=40))
def test_a_file_with_something_around_it_is_refused(kind, before, after):
    found = inspected(before + FILES[kind] + after)

    assert found.accepted == (before == after == b"")


@pytest.mark.usefixtures("jailed")
@settings(FUZZ, max_examples=80)
@given(drawn=st.data())
def test_a_damaged_pickle_with_a_true_checksum(drawn):
    pickle = bytearray(PICKLE)
    for place in drawn.draw(st.lists(st.integers(0, len(pickle) - 1), min_size=1, max_size=3)):
        pickle[place] = drawn.draw(st.integers(0, 255))

    is_read_back(rebuilt(bytes(pickle)))


@pytest.mark.usefixtures("jailed")
@settings(FUZZ, max_examples=40)
@given(drawn=st.data())
def test_a_pickle_whose_opcodes_are_others(drawn):
    start = drawn.draw(st.integers(0, len(PICKLE)))
    end = drawn.draw(st.integers(start, min(len(PICKLE), start + 40)))
    where = drawn.draw(st.integers(0, len(PICKLE)))
    piece = PICKLE[start:end]

    is_read_back(rebuilt(PICKLE[:where] + piece + PICKLE[where:]))
    is_read_back(rebuilt(PICKLE[:start] + PICKLE[end:]))


@pytest.mark.usefixtures("jailed")
@settings(FUZZ, max_examples=30)
@given(drawn=st.data())
def test_swapped_entries(drawn):
    order = drawn.draw(st.permutations(range(len(RECORDS))))
    swapped = zip((each.name for each in RECORDS), order, strict=True)

    is_read_back(zipped([Record(name, RECORDS[place].data) for name, place in swapped]))
    is_read_back(zipped([RECORDS[place] for place in order]))


@settings(FUZZ, max_examples=150)
@given(data=st.binary(max_size=300), start=st.sampled_from([b"", b"PK\x03\x04", b"\x80\x02", b"{"]))
def test_any_bytes_at_all(data, start):
    assert not inspected(start + data).accepted


def rebuilt(pickle: bytes) -> bytes:
    return zipped(
        [
            Record(each.name, pickle if each.name.endswith("data.pkl") else each.data)
            for each in RECORDS
        ]
    )
