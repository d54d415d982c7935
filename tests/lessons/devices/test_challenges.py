import pytest

from playground.lessons.devices.challenges import hides_all_by_naming_them, puts_three_before_one
from playground.lessons.devices.experiment import visible_devices
from playground.lessons.devices.records import Moment, Variable, VisibleDevices


@pytest.mark.parametrize(
    ("value", "is_met"),
    [("0,0", True), ("1,2,1", True), ("", False), ("-1", False), ("x", False), ("9,9", False)]
    + [("0", False), (None, False), ("0,0,x", False)],
)
def test_hiding_all_needs_a_list_of_gpus_that_exist(value, is_met):
    assert hides_all_by_naming_them(visible_devices(VisibleDevices(value=value))) is is_met


@pytest.mark.parametrize(
    ("settings", "is_met"),
    [
        (VisibleDevices(value="3,1"), True),
        (VisibleDevices(value="3,1,0"), True),
        (VisibleDevices(value="1,3"), False),
        (VisibleDevices(value="3,1", variable=Variable.CUDA_VISIBLE_DEVICE), False),
        (VisibleDevices(value="3,1", moment=Moment.AFTER), False),
        (VisibleDevices(value="3,1", physical_gpus=2), False),
    ],
)
def test_the_order_of_the_value_is_the_order_of_the_devices(settings, is_met):
    assert puts_three_before_one(visible_devices(settings)) is is_met
