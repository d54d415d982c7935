from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.NumberInput_pb2 import NumberInput

from benchmarks.widget import Widget, state_of


def pills() -> Widget:
    element = ButtonGroup(id="$$ID-0a1b-tensors_add_left", default=[1])
    element.options.add(content="cpu")
    element.options.add(content="cuda:0")
    return Widget("button_group", element, fragment="f", place="main")


def test_the_key_is_what_the_app_called_it() -> None:
    assert pills().key == "tensors_add_left"


def test_a_choice_offers_what_is_not_chosen() -> None:
    shown = pills().shown()

    assert shown == ("string_array_value", ["cuda:0"])
    assert pills().others(shown) == [("string_array_value", ["cpu"])]


def test_a_number_stays_in_its_bounds() -> None:
    element = NumberInput(id="n", default=8, step=1, min=1, max=8, has_min=True, has_max=True)
    widget = Widget("number_input", element, fragment="f", place="main")

    assert widget.others(widget.shown()) == [("double_value", 7.0)]


def test_no_choice_is_still_reported() -> None:
    state = state_of("id", ("string_array_value", []))

    assert state.WhichOneof("value") == "string_array_value"
