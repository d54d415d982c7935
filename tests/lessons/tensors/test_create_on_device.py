import pytest

from playground.lessons.tensors.create_on_device import CreateOnDevice, Way
from tests.answers import answer_once, assert_answer

BYTES = 2 * 3 * 4


@pytest.mark.parametrize(
    ("device", "way", "made", "host_bytes", "copied_bytes"),
    [
        ("cuda:1", Way.DIRECT, 1, 0, 0),
        ("cuda:1", Way.MOVED, 2, BYTES, BYTES),
        ("cpu", Way.DIRECT, 1, BYTES, 0),
        ("cpu", Way.MOVED, 1, BYTES, 0),
    ],
)
def test_a_detour_makes_a_second_tensor(device, way, made, host_bytes, copied_bytes):
    sizes = {"tensors_made": made, "host_bytes": host_bytes, "copied_bytes": copied_bytes}

    facts = answer_once(CreateOnDevice(device=device, way=way)).facts
    assert facts == {"y_device": device, **sizes}


def test_the_old_spelling_ignores_the_device():
    step = CreateOnDevice(device="cuda:1", way=Way.LEGACY)
    assert_answer(step, y_device="cuda:0", is_silent=True)


def test_the_tensor_that_was_copied_is_drawn_without_a_name():
    drawn = answer_once(CreateOnDevice()).data

    places = [(each.place, each.is_ghost) for each in drawn.items]
    assert places == [("cpu", True), ("cuda:0", False)]
    assert drawn.copies[0][2] == "24 B"
