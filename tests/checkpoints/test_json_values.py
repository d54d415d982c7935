import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.checkpoints.jailed import json_values
from playground.checkpoints.jailed.json_values import chunks, distance, first_elements, statistics
from playground.checkpoints.load_results import HISTOGRAM_BINS

INF = math.inf
ODD_FLOATS = st.floats(width=64) | st.sampled_from([0.0, -0.0, INF, -INF, math.nan, 1e300, 1e-300])


@settings(max_examples=120)
@given(
    values=st.lists(ODD_FLOATS, max_size=40),
    dtype=st.sampled_from([torch.float64, torch.float32, torch.float16, torch.bfloat16]),
    chunk=st.integers(1, 12),
)
def test_statistics_are_those_of_torch_whatever_the_chunks(values, dtype, chunk):
    tensor = torch.tensor(values, dtype=torch.float64).to(dtype)
    exact = tensor.double()
    finite = exact[exact.isfinite()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "CHUNK_ELEMENTS", chunk)
        found = statistics(tensor)

    assert found.nans == int(exact.isnan().sum())
    assert found.infinities == int(exact.isinf().sum())
    assert found.zeros == int((exact == 0).sum())
    if not finite.numel():
        assert (found.minimum, found.maximum, found.mean, found.std) == (None,) * 4
        return
    assert (found.minimum, found.maximum) == (float(finite.min()), float(finite.max()))
    scale = max(float(finite.abs().max()), 1e-300)
    scaled = finite / scale
    assert found.mean is not None
    assert found.mean / scale == pytest.approx(float(scaled.mean()), rel=1e-9, abs=1e-9)
    if finite.numel() < 2:
        assert found.std is None
    elif found.std is not None:  # else it is beyond what float64 can say
        assert found.std / scale == pytest.approx(float(scaled.std()), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_whole_numbers_have_exact_ends(dtype):
    ends = torch.iinfo(dtype)
    tensor = torch.tensor([ends.max, 0, ends.min, 0], dtype=dtype)

    found = statistics(tensor)

    assert (found.minimum, found.maximum) == (ends.min, ends.max)
    assert found.zeros == 2 + (ends.min == 0)
    assert found.std == pytest.approx(float(tensor.double().std()))


def test_complex_numbers_have_no_order():
    found = statistics(torch.tensor([0j, complex(math.nan, 1), complex(INF, 0), 1 + 2j]))

    assert (found.nans, found.infinities, found.zeros) == (1, 1, 1)
    assert (found.minimum, found.mean, found.std) == (None, None, None)


@settings(max_examples=60)
@given(
    values=st.lists(st.tuples(ODD_FLOATS, ODD_FLOATS), max_size=30),
    dtypes=st.tuples(*[st.sampled_from([torch.float64, torch.float32, torch.bfloat16])] * 2),
    chunk=st.integers(1, 12),
)
def test_a_distance_is_that_of_torch_whatever_the_chunks(values, dtypes, chunk):
    pair = [torch.tensor(each, dtype=torch.float64) for each in zip(*values, strict=True)]
    pair = pair or [torch.zeros(0, dtype=torch.float64)] * 2
    first, second = (each.to(dtype) for each, dtype in zip(pair, dtypes, strict=True))
    before, after = first.double(), second.double()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "CHUNK_ELEMENTS", chunk)
        found = distance(first, second)

    same = torch.isclose(before, after, rtol=0, atol=0, equal_nan=True)
    assert found.changed == int((~same).sum())
    assert found.not_finite == tuple(int((~each.isfinite()).sum()) for each in (before, after))
    finite = before.isfinite() & after.isfinite()
    apart = (after - before)[finite].abs()
    if not apart.numel():
        assert (found.maximum, found.mean, found.relative) == (None, None, None)
    elif found.maximum is not None and found.mean is not None:
        assert found.maximum == float(apart.max())
        assert found.mean == pytest.approx(float(apart.mean()), rel=1e-9)
        known, size = before[finite].abs(), float(before[finite].abs().max())
        if found.relative is not None and 1e-100 < size < 1e100 and found.maximum < 1e100:
            assert found.relative == pytest.approx(float(apart.norm() / known.norm()), rel=1e-6)
        assert (found.relative is None) <= (size == 0 or found.maximum / size > 1e300)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(24.0).reshape(2, 3, 4),
        torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
        torch.arange(3.0).expand(5, 3),
        torch.arange(30.0)[3::4],
        torch.tensor(7.0),
    ],
)
def test_every_element_is_seen_once_whatever_the_strides(tensor, monkeypatch):
    monkeypatch.setattr(json_values, "CHUNK_ELEMENTS", 3)

    pieces = list(chunks(tensor))

    assert max(piece.numel() for piece in pieces) <= 3
    assert sorted(torch.cat(pieces).tolist()) == sorted(tensor.flatten().tolist())
    assert list(first_elements(tensor, 5)) == tensor.flatten()[:5].tolist()


@pytest.mark.parametrize("chunk", [7, 2**18])
def test_the_histogram_is_that_of_numpy(monkeypatch, chunk):
    monkeypatch.setattr(json_values, "CHUNK_ELEMENTS", chunk)
    torch.manual_seed(0)
    values = torch.randn(300)
    expected, _ = np.histogram(values.double().numpy(), bins=HISTOGRAM_BINS)
    odd = torch.cat((values, torch.tensor([math.nan, INF, -INF])))

    assert statistics(odd).histogram == tuple(expected.tolist())
    assert statistics(torch.ones(5)).histogram == ()
