import pytest

from playground.lessons.devices.default_device import DefaultDevice, Factory, Way
from playground.machines import Machine, MachineKind
from tests.answers import answer_once

FOLLOWS = (Factory.ONES, Factory.TENSOR, Factory.LINEAR, Factory.AS_TENSOR)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("factory", Factory)
def test_lines_that_name_no_device_and_take_new_memory_follow(way, factory):
    found = answer_once(DefaultDevice(way=way, factory=factory))

    assert found.prediction == ("cuda:1" if factory in FOLLOWS else "cpu")


def test_each_line_that_does_not_follow_has_a_reason_of_its_own():
    reasons = {
        each: answer_once(DefaultDevice(factory=each)).explanation
        for each in Factory
        if each not in FOLLOWS
    }

    assert reasons == {
        Factory.FROM_NUMPY: "shares-memory",
        Factory.ZEROS_LIKE: "follows-tensor",
        Factory.OLD_CONSTRUCTOR: "old-constructor",
        Factory.ONES_CPU: "names-device",
    }


def test_a_default_that_is_not_there_is_refused_when_it_is_used():
    real = Machine(kind=MachineKind.REAL)
    found = answer_once(DefaultDevice(machine=real, device="cuda:63", factory=Factory.ONES))

    assert (found.prediction, found.explanation) == ("error", "not-there")
    assert [line.number for line in found.lines if line.error] == [6]  # not where it is set
