import pytest

from playground.lessons.devices.memory_figures import Action, Figures, MemoryFigures, across
from playground.machines import Machine
from tests.answers import answer
from tests.lessons.steps import find, labels_of

MIB = 2**20
LABELS = labels_of(find("devices", "memory_figures")[0])


@pytest.mark.parametrize(
    ("action", "prediction", "after"),
    [
        (Action.DELETE, "allocated", Figures(0, 20 * MIB, 20 * MIB)),
        (Action.EMPTY_CACHE, "none", Figures(8 * MIB, 20 * MIB, 20 * MIB)),
        (Action.BOTH, "all", Figures(0, 0, 0)),
    ],
)
def test_deleting_frees_memory_for_pytorch_and_emptying_for_the_driver(action, prediction, after):
    found = answer(MemoryFigures(action=action))
    assert (found.prediction, found.data.after) == (prediction, after)


def test_without_a_gpu_there_is_no_memory_to_read():
    found = answer(MemoryFigures(machine=Machine(gpus=0)))

    assert (found.explanation, found.data, found.outcome.ok) == ("no-gpu", None, False)
    assert MemoryFigures().picture(None, LABELS) is None


def test_a_size_keeps_its_length_whatever_stands_beside_it():
    assert across(20 * MIB) - across(10 * MIB) == pytest.approx(across(2 * MIB) - across(MIB))
    step = MemoryFigures()
    assert step.picture(answer(step), LABELS).values["described"] == (
        "before: allocated 8.00 MiB, reserved 20.00 MiB, used 20.00 MiB; "
        "after: allocated 0 bytes, reserved 20.00 MiB, used 20.00 MiB"
    )
