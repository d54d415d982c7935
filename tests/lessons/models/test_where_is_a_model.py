import pytest

from playground.lessons.models.where_is_a_model import Question, WhereIsAModel
from playground.steps.device_map import PYTHON
from tests.answers import answer_once, assert_answer

DEVICES = ("cpu", "cuda:0", "cuda:1")
PYTHONS_OWN = {  # what Python says of any object without the attribute, and of any generator
    Question.NET: "AttributeError",
    Question.SUBSCRIPT: "TypeError",
    Question.USED_UP: "StopIteration",
}


@pytest.mark.parametrize("first", DEVICES)
@pytest.mark.parametrize("second", DEVICES)
@pytest.mark.parametrize("question", Question)
def test_only_parameters_have_a_device(question, first, second):
    step = WhereIsAModel(question=question, first=first, second=second)
    of_parameters = "several" if question is Question.EVERY and first != second else first

    prediction = PYTHONS_OWN.get(question, of_parameters)
    assert_answer(step, prediction=prediction, has_fix=question in PYTHONS_OWN)


def test_the_module_itself_is_drawn_on_no_device():
    transitions = answer_once(WhereIsAModel(second="cuda:1")).data.transitions

    places = {each.names: each.place for each in transitions}
    assert places == {
        "net": PYTHON,
        **dict.fromkeys(("0.weight", "0.bias"), "cuda:0"),
        **dict.fromkeys(("2.weight", "2.bias"), "cuda:1"),
    }
