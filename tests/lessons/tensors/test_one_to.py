import re

import pytest
import torch

from playground.lessons.tensors.one_to import DataType, Form, OneTo
from tests.answers import answer_once, assert_answer
from tests.lessons.steps import find, labels_of


@pytest.mark.parametrize(
    ("form", "prediction", "device", "dtype"),
    [
        (Form.OTHER, "both", "cuda:0", "torch.float16"),
        (Form.DEVICE_AND_DTYPE, "both", "cuda:0", "torch.float16"),
        (Form.DEVICE, "device", "cuda:0", "torch.float32"),
        (Form.DTYPE, "dtype", "cpu", "torch.float16"),
    ],
)
def test_one_call_changes_what_it_is_given(form, prediction, device, dtype):
    step = OneTo(form=form, dtype=DataType.FLOAT16)
    assert_answer(step, prediction=prediction, y_device=device, y_dtype=dtype)


def test_nothing_to_change_returns_the_same_object():
    answer = assert_answer(OneTo(target="cpu", dtype=DataType.FLOAT32), prediction="neither")
    assert [each.shown for each in answer.data.map.items] == ["x, y", "other"]


@pytest.mark.parametrize(
    ("dtype", "lost", "after"),
    [
        (DataType.INT64, "0.1 1.5 2.25", (0, 1, 2)),
        (DataType.INT8, "0.1 1.5 2.25", (0, 1, 2)),
        (DataType.FLOAT16, "0.1", (0.0999755859375, 1.5, 2.25)),
        (DataType.FLOAT64, None, tuple(torch.tensor([0.1, 1.5, 2.25]).tolist())),
    ],
)
def test_values_that_the_dtype_cannot_hold_are_lost(dtype, lost, after):
    answer = assert_answer(OneTo(dtype=dtype), lost=lost, is_silent=lost is not None)
    assert answer.data.after == after


def test_a_tile_as_wide_as_its_name_stays_inside_its_device():
    labels = labels_of(find("tensors", "one_to")[0])
    svg = OneTo().picture(answer_once(OneTo()), labels).svg
    box = re.search(r'"box-cuda:0"><rect x="([\d.]+)".*?width="([\d.]+)"', svg)
    tiles = re.findall(r'"item-(?:other|y)".*?translate\(([\d.]+).*?<rect x="-([\d.]+)', svg)

    assert len(tiles) == 2
    for centre, half in tiles:
        assert float(box[1]) < float(centre) - float(half)
        assert float(centre) + float(half) < float(box[1]) + float(box[2])
