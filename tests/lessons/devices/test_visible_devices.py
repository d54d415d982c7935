import re

import pytest

from playground.errors import InvalidSettingError
from playground.lessons.devices.visible_devices import Variable, VisibleDevices, Way
from playground.machines.visible_devices import simulated_uuids
from tests.answers import answer_once, assert_answer
from tests.lessons.steps import find, labels_of

LABELS = labels_of(find("devices", "visible_devices")[0])


@pytest.mark.parametrize(
    ("value", "mapping", "explanation"),
    [
        ("1", "1", "renumbered"),
        ("3,1", "3, 1", "renumbered"),
        ("0,1", "0, 1", "same"),
        ("1,x,2", "1", "stopped"),
        ("0,9", "0", "stopped"),
        ("", "", "empty"),
        ("0,0", "", "repeated"),
        ("nonsense", "", "word"),
        ("-1", "", "negative"),
        ("9", "", "no-such-gpu"),
        (simulated_uuids(4)[2], "2", "renumbered"),
        ("GPU-", "", "no-such-gpu"),  # the beginning of several
    ],
)
def test_the_value_decides_which_gpu_is_which_and_why(value, mapping, explanation):
    prediction = mapping[0] if mapping else "no-gpu"
    expected = {"mapping": mapping, "explanation": explanation, "ok": mapping != ""}

    assert_answer(VisibleDevices(value=value, physical_gpus=4), prediction=prediction, **expected)


@pytest.mark.parametrize(
    ("step", "mapping", "explanation", "is_silent"),
    [
        (VisibleDevices(variable=Variable.WITHOUT_S), "0, 1, 2, 3", "misspelt", True),
        (VisibleDevices(way=Way.LATE), "0, 1, 2, 3", "too-late", True),
        (VisibleDevices(way=Way.NEVER), "0, 1, 2, 3", "unset", False),
        (VisibleDevices(value="3,1", way=Way.MAGIC), "3, 1", "renumbered", False),
    ],
)
def test_a_value_that_nobody_reads_hides_nothing(step, mapping, explanation, is_silent):
    assert_answer(step, mapping=mapping, explanation=explanation, is_silent=is_silent)


@pytest.mark.parametrize("value", ["0\0", "\ud800", "0" * 129])
def test_what_no_variable_can_hold_is_refused(value):
    with pytest.raises(InvalidSettingError):
        VisibleDevices(value=value)


def test_the_picture_joins_each_name_to_its_gpu_and_nothing_before_the_answer():
    step = VisibleDevices(value="3,1")
    before, after = step.picture(None, LABELS), step.picture(answer_once(step), LABELS)

    assert after.values["described"] == "cuda:0 = GPU 3; cuda:1 = GPU 1"
    assert re.findall(r'data-id="line-(\d)"', after.svg) == ["3", "1"]
    assert re.findall(r'data-id="gpu-(\d)"', before.svg) == ["0", "1", "2", "3"]
    assert 'data-id="line-' not in before.svg
    assert "line-through" not in before.svg
