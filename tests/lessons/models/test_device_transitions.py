import re

import pytest

from playground.lessons.models.device_transitions import (
    NAMES,
    WIDTH,
    DeviceTransition,
    DeviceTransitions,
    draw,
)
from playground.machines.machine import device_names
from playground.steps.device_map import PYTHON

LONG = "encoder.layers.0.self_attn.in_proj_weight"


def drawn(gpus: int, *transitions: DeviceTransition) -> str:
    devices = device_names(gpus)
    return draw(DeviceTransitions(devices=devices, is_simulated=True, transitions=transitions)).svg


@pytest.mark.parametrize("gpus", [0, 1, 2, 8])
def test_names_stand_outside_of_all_places(gpus):
    net = DeviceTransition(names="net", place=PYTHON)
    svg = drawn(gpus, DeviceTransition(names=LONG, place="cpu"), net)

    boxes = re.findall(r'column-[^"]+"><rect x="([\d.]+)" y="1" rx="10" width="([\d.]+)"', svg)
    assert len(boxes) == gpus + 2
    assert all(float(x) > NAMES and float(x) + float(width) <= WIDTH for x, width in boxes)
    assert "…ttn.in_proj_weight<" in svg
    assert LONG + "<" not in re.sub(r"<title>.*?</title>", "", svg)


def test_a_tensor_that_moved_shows_where_it_was():
    moved = drawn(1, DeviceTransition(names="w", before="cpu", place="cuda:0"))
    stayed = drawn(1, DeviceTransition(names="w", before="cpu", place="cpu", is_trouble=True))

    assert ("from-w" in moved, "from-w" in stayed) == (True, False)
    assert ("✗" in moved, "✗" in stayed) == (False, True)


def test_names_of_tensors_are_escaped():
    assert "<b>" not in drawn(1, DeviceTransition(names="<b>", place="cpu"))
