import pytest

from playground.lessons.models.reading_back import Reading, ReadingBack
from playground.steps.device_map import PYTHON
from tests.answers import assert_answer


@pytest.mark.parametrize(
    ("reading", "waits", "place", "size"),
    [  # by the rules of CUDA, written down by hand
        (Reading.BRANCH, True, PYTHON, 1),
        (Reading.ITEM, True, PYTHON, 4),
        (Reading.TOLIST, True, PYTHON, 24),
        (Reading.CPU, True, "cpu", 24),
        (Reading.NUMPY, True, "cpu", 24),
        (Reading.ARGMAX, False, "cuda:0", 0),
        (Reading.NON_BLOCKING, False, "cpu", 24),
    ],
)
def test_python_waits_for_what_it_has_to_know(reading, waits, place, size):
    step, prediction = ReadingBack(reading=reading), "waits" if waits else "goes_on"

    answer = assert_answer(step, prediction=prediction, copied=f"{size} B")
    places = {each.label: each.place for each in answer.data.items}
    assert places == {"Y": "cuda:0", "read": place}


@pytest.mark.parametrize("reading", Reading)
def test_on_the_cpu_nothing_waits_and_nothing_is_refused(reading):
    step = ReadingBack(reading=reading, device="cpu")
    assert_answer(step, prediction="goes_on", copied="0 B", is_silent=False)


def test_numpy_is_refused_a_tensor_of_a_gpu():
    fix = ("read = Y.detach().numpy()", "read = Y.detach().cpu().numpy()")
    assert_answer(ReadingBack(reading=Reading.BARE_NUMPY), prediction="TypeError", fix=fix)


def test_a_copy_that_nobody_waits_for_is_a_silent_failure():
    late = ReadingBack(reading=Reading.NON_BLOCKING)

    assert_answer(late, is_silent=True, fix=("", "torch.cuda.synchronize()"))
    assert_answer(late.replaced(is_fixed=True), is_silent=False)
