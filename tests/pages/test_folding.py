"""Which steps of a lesson are open, in a session entered by the router."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from tests.pages.test_pages import ROOT, visit

STEPS = [step.id for step in catalog.lesson("models").steps]


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    with compute.running_inline():
        yield


def open_steps(at: AppTest) -> list[str]:
    rows = {button.key for button in at.button}
    return [step for step in STEPS if f"open-models-{step}" not in rows]


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click().run()  # of the parts that change
    return at.run()


def test_a_lesson_opens_at_its_first_step() -> None:
    assert open_steps(visit("models", steps="")) == STEPS[:1]


def test_an_answer_opens_the_next_step_and_counts() -> None:
    at = click(visit("models", steps=""), "models_where-is-a-model_skip")

    assert not at.exception
    assert open_steps(at) == STEPS[:2]
    assert at.get("progress")[0].proto.text.startswith("1 ")


def test_a_row_opens_its_step_and_the_address_names_it() -> None:
    at = click(visit("models", steps=""), "open-models-loss")

    assert open_steps(at) == ["where-is-a-model", "loss"]
    assert at.query_params["step"] == "loss"


@pytest.mark.parametrize(
    "address", [{"step": "ledger"}, {"models_ledger_predicted": "skipped"}, {"step": "☃"}]
)
def test_an_address_opens_the_steps_it_speaks_of(address: dict[str, str]) -> None:
    at = visit("models", steps="", **address)

    first = "where-is-a-model"
    expected = [first] if address.get("step") == "☃" else [first, "ledger"]
    assert open_steps(at) == expected


def test_who_returns_finds_the_step_last_opened_as_it_was() -> None:
    at = click(visit("models", steps=""), "open-models-input-and-model")
    at.button_group(key="models_input-and-model_model").set_value("cuda:1").run()
    at.switch_page(str(ROOT / "pages/home.py")).run()
    at.switch_page(str(ROOT / "pages/models.py")).run()

    assert open_steps(at) == ["input-and-model"]
    assert at.button_group(key="models_input-and-model_model").value == "cuda:1"


def test_showing_all_steps_and_none_of_them_again() -> None:
    at = visit("models", steps="")
    at.toggle(key="steps").set_value(True).run()
    assert open_steps(at) == STEPS

    at.toggle(key="steps").set_value(False).run()
    assert open_steps(at) == STEPS[:1]


def test_a_program_is_built_when_its_box_is_opened() -> None:
    at = visit("models", steps="", **{"models_move-in-place_predicted": "skipped"})
    assert any("import torch" in code.value for code in at.code)

    at.session_state["models_move-in-place_code"] = False
    assert not any("import torch" in code.value for code in at.run().code)
