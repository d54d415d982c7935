import pytest

from playground.lessons.tensors.results_stay import Computation, ResultsStay
from tests.answers import assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")


@pytest.mark.parametrize("computation", [Computation.POWER, Computation.COMPARE, Computation.SUM])
@pytest.mark.parametrize("device", DEVICES)
def test_a_result_is_where_its_input_is(device, computation):
    assert_answer(ResultsStay(device=device, computation=computation), prediction=device)


@pytest.mark.parametrize("device", DEVICES)
def test_item_returns_a_number_on_no_device(device):
    step = ResultsStay(device=device, computation=Computation.ITEM)

    answer = assert_answer(step, prediction="no_device", printed="6.0\n")
    assert {each.label: each.place for each in answer.data.items} == {"x": device, "y": "python"}


@pytest.mark.parametrize(("device", "index"), [("cpu", "-1"), ("cuda:0", "0"), ("cuda:1", "1")])
def test_get_device_returns_the_index_of_the_gpu(device, index):
    step = ResultsStay(device=device, computation=Computation.GET_DEVICE)
    assert_answer(step, printed=f"{index}\n", y_type="int")
