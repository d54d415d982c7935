"""The page of initialization: arguments as controls, torch's refusal beside them."""

import pytest
from streamlit.testing.v1 import AppTest

from playground.modules.spec.link import to_link
from playground.modules.spec.starts import SMALL_CNN
from tests.pages.test_pages import inline, programs, visit

__all__ = ["inline"]  # its fixture: experiments run in this process

STEP = "initialization_microscope"
SKIPPED = {f"{STEP}_predicted": "skipped"}


def microscope(**address: str) -> AppTest:
    return visit("initialization", **SKIPPED, **address)


def test_the_arguments_of_the_initialiser_are_controls() -> None:
    at = microscope(**{f"{STEP}_initializer": "kaiming_normal_"})
    at.button_group(key=f"{STEP}_kaiming_normal_mode").set_value("fan_out").run()

    assert not at.exception
    assert any("mode='fan_out'" in program for program in programs(at))
    assert at.query_params[f"{STEP}_kaiming_normal_mode"] == "fan_out"


def test_a_number_that_torch_refuses_is_one_sentence_in_its_words_and_the_last_result_stays() -> (
    None
):
    at = microscope(**{f"{STEP}_initializer": "normal_"})
    before = programs(at)
    at.number_input(key=f"{STEP}_normal_std").set_value(-1.0).run()

    assert not at.exception
    assert ["normal expects std >= 0.0, but found std -1" in each.value for each in at.warning] == [
        True
    ]
    assert before
    assert programs(at) == before


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("sparse_sparsity", 1.5, "1.5 is outside 0.0 to 1.0"), ("sparse_std", 1e7, "outside")],
)
def test_a_number_out_of_range_is_one_sentence(key: str, value: float, says: str) -> None:
    at = microscope(**{f"{STEP}_initializer": "sparse_"})
    before = programs(at)
    at.number_input(key=f"{STEP}_{key}").set_value(value).run()

    assert [says in each.value for each in at.warning] == [True]
    assert programs(at) == before


def test_a_shape_that_is_none_is_one_sentence() -> None:
    at = microscope(**{f"{STEP}_parameter": "shape"})
    at.text_input(key=f"{STEP}_shape").set_value("3, y").run()

    assert ["3, y" in each.value for each in at.warning] == [True]


def test_a_name_without_its_underscore_is_an_error_to_meet() -> None:
    at = microscope(**{f"{STEP}_initializer": "zeros_"})
    at.toggle(key=f"{STEP}_underscore").set_value(False).run()

    assert not at.warning
    assert any("has no attribute" in each.value for each in at.html if each.value)


def test_a_pattern_that_matches_nothing_is_one_sentence() -> None:
    at = visit(
        "initialization",
        **{
            "initialization_per-layer_predicted": "skipped",
            "initialization_per-layer_way": "name",
        },
    )
    at.text_input(key="initialization_per-layer_pattern").set_value("*.nothing").run()

    assert ["*.nothing" in each.value and "0.weight" in each.value for each in at.warning] == [True]


def test_the_network_of_the_builder_is_taken() -> None:
    skipped = {"initialization_default_predicted": "skipped"}
    at = visit("initialization", network=to_link(SMALL_CNN), **skipped)

    assert not at.exception
    assert "7.weight" in at.selectbox(key="initialization_default_parameter").options
    assert any("nn.Conv2d(" in program for program in programs(at))
