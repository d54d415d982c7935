import pytest
import torch

from playground.lessons.models.reading_back import Reading, ReadingBack
from playground.steps.device_map import PYTHON
from tests.answers import answer_once

# By the rules of CUDA, written down by hand: what waits, and where the value then is.
WAITS = {
    Reading.BRANCH: True,
    Reading.ITEM: True,
    Reading.TOLIST: True,
    Reading.CPU: True,
    Reading.NUMPY: True,
    Reading.ARGMAX: False,
    Reading.NON_BLOCKING: False,
}
PLACES = {
    Reading.BRANCH: PYTHON,
    Reading.ITEM: PYTHON,
    Reading.TOLIST: PYTHON,
    Reading.ARGMAX: "cuda:0",
}
SIZES = {Reading.BRANCH: torch.bool.itemsize, Reading.ITEM: 4, Reading.ARGMAX: 0}


@pytest.mark.parametrize("reading", WAITS)
def test_python_waits_for_what_it_has_to_know(reading):
    answer = answer_once(ReadingBack(reading=reading))

    assert answer.prediction == ("waits" if WAITS[reading] else "goes_on")
    places = {each.label: each.place for each in answer.data.items}
    assert places == {"Y": "cuda:0", "read": PLACES.get(reading, "cpu")}
    assert answer.facts["copied"] == f"{SIZES.get(reading, 2 * 3 * 4)} B"


@pytest.mark.parametrize("reading", Reading)
def test_on_the_cpu_nothing_waits_and_nothing_is_refused(reading):
    answer = answer_once(ReadingBack(reading=reading, device="cpu"))

    assert answer.prediction == "goes_on"
    assert answer.facts["copied"] == "0 B"
    assert not answer.is_silent_failure


def test_numpy_is_refused_a_tensor_of_a_gpu():
    answer = answer_once(ReadingBack(reading=Reading.BARE_NUMPY))

    assert answer.prediction == "TypeError"
    assert answer.fix == ("read = Y.detach().numpy()", "read = Y.detach().cpu().numpy()")


def test_a_copy_that_nobody_waits_for_is_a_silent_failure():
    late = answer_once(ReadingBack(reading=Reading.NON_BLOCKING))

    assert late.is_silent_failure
    assert late.fix == ("", "torch.cuda.synchronize()")
    assert not answer_once(
        ReadingBack(reading=Reading.NON_BLOCKING, is_fixed=True)
    ).is_silent_failure
