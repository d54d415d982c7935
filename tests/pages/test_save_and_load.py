import pytest
from streamlit.testing.v1 import AppTest

from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from tests.pages.test_lesson_page import press, text, visit
from ui.language import table

pytestmark = pytest.mark.usefixtures("inline")
NETWORK = Network(
    Block([Layer("Linear", {"in_features": 5, "out_features": 6}, name="encoder")]),
    InputSpec((2, 5)),
)
LESSON = "save_and_load"


def program(at: AppTest) -> str:
    return str(at.code[0].value)


def test_model_and_keys_take_the_network_of_the_link_and_give_it_back():
    at = visit(LESSON, step="model", network=to_link(NETWORK))
    assert "nn.Linear(5, 6)" in program(at)
    assert not at.exception

    at.selectbox(key=f"{LESSON}-model-network").set_value("").run()
    assert "class MLP" in program(at)
    at.query_params["step"] = "keys"
    at.run()
    assert "nn.Linear(5, 6)" in program(at)  # it stays with the lesson for the visit


def test_a_link_without_a_network_is_reported_in_words():
    at = visit(LESSON, step="model", network="nonsense")

    assert [each.value for each in at.warning] == [table()["network.broken-link"].en]
    assert "class MLP" in program(at)


def test_a_step_that_saved_a_file_has_it_to_take_away_once_it_is_answered():
    at = press(visit(LESSON, step="folder"), "run")
    before = len(at.get("download_button"))  # the program fails, and there is no file
    at.selectbox(key=f"{LESSON}-folder-place").set_value("made").run()
    assert len(at.get("download_button")) == before
    press(at, "run")

    assert not at.exception
    assert len(at.get("download_button")) == before + 1


def test_the_inspector_speaks_after_the_answer():
    at = visit(LESSON, step="weights_only")
    assert "posix.system" not in text(at).split("tp-outcome", 1)[-1]
    press(at, "run")

    assert not at.exception
    assert table()["xray.inspector"].en in text(at)
    assert text(at).count("posix.system") >= 2
    assert "weights_only=False" not in text(at)
