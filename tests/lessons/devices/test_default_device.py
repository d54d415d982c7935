import pytest

from playground.lessons.devices.default_device import DefaultDevice, Factory, Way
from playground.machines import Machine, MachineKind
from tests.answers import assert_answer

STAYS = {
    Factory.FROM_NUMPY: "shares-memory",
    Factory.ZEROS_LIKE: "follows-tensor",
    Factory.OLD_CONSTRUCTOR: "old-constructor",
    Factory.ONES_CPU: "names-device",
}
ON_CPU = dict.fromkeys((Factory.FROM_NUMPY, Factory.AS_TENSOR), "shares-on-cpu")


@pytest.mark.parametrize(("default", "reasons"), [("cuda:1", STAYS), ("cpu", STAYS | ON_CPU)])
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("factory", Factory)
def test_new_memory_follows_the_default_and_other_lines_say_why_not(way, factory, default, reasons):
    device, explanation = "cpu" if factory in STAYS else default, reasons.get(factory, "follows")
    step = DefaultDevice(way=way, factory=factory, device=default)
    assert_answer(step, prediction=device, explanation=explanation)


def test_a_default_that_is_not_there_is_refused_when_it_is_used():
    real = Machine(kind=MachineKind.REAL)
    step = DefaultDevice(machine=real, device="cuda:63", factory=Factory.ONES)
    found = assert_answer(step, prediction="error", explanation="not-there")
    assert [line.number for line in found.lines if line.error] == [6]  # not where it is set
