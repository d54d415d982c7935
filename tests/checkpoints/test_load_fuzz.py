"""Valid files, damaged in many ways: what is accepted is read back, and nothing else happens.

The oracle for an accepted file is torch, or safetensors, in this process: the same tensors.
"""

import math

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.checkpoints.load import load
from playground.checkpoints.save import save_safetensors, save_torch
from tests.checkpoints.tables import inspected, read_tensors

pytestmark = pytest.mark.usefixtures("jailed")
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


def same(number: object, other: object) -> bool:
    return number == other or (math.isnan(float(number)) and math.isnan(float(other)))


def is_read_back(data: bytes) -> bool:
    """Whether a file is accepted; then it must be what torch makes of it, tensor for tensor."""
    found = inspected(data)
    if not found.accepted:
        return False
    report = load(data, "fuzz.pt")
    assert report.accepted, report.reason
    mine = {".".join(map(str, path)): each for path, each in read_tensors(data, found)}
    assert len(report.tensors) == len(mine) == len(found.tensors)
    for each in report.tensors:
        if each.name not in mine:
            continue  # a name that is not shown as it is
        expected = mine[each.name]
        assert (each.dtype, each.shape) == (str(expected.dtype)[6:], tuple(expected.shape))
        first = expected.flatten()[:8].tolist()
        assert all(same(one, other) for one, other in zip(each.values, first, strict=True))
    return True


@pytest.mark.parametrize("kind", FILES)
def test_an_undamaged_file_is_read_back(kind):
    assert is_read_back(FILES[kind])


@pytest.mark.parametrize("kind", FILES)
@settings(FUZZ, max_examples=120)
@given(drawn=st.data())
def test_flipped_bytes(kind, drawn):
    data = bytearray(FILES[kind])
    places = st.one_of(st.integers(0, 200), st.integers(0, len(data) - 1))
    for place in drawn.draw(st.lists(places, min_size=1, max_size=4)):
        data[place] ^= drawn.draw(st.integers(1, 255))

    is_read_back(bytes(data))
