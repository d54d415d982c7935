from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground.catalog import Language
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from ui.language import table
from ui.panel import plain

pytestmark = pytest.mark.usefixtures("inline")

ROOT = Path(__file__).resolve().parents[2]
OWN = Network(
    Block([Layer("Linear", {"in_features": 3, "out_features": 5}, name="mine"), Layer("ReLU")]),
    InputSpec((2, 3)),
)
BROKEN = "☃"
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


def visit(network: Network | str, language: str = "en") -> AppTest:
    """Open a step that takes a network, with one in the link."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params["lang"] = language
    at.query_params["step"] = "all_names"
    at.query_params["network"] = network if isinstance(network, str) else to_link(network)
    at.query_params[plain.CHOICE] = "true"
    return at.switch_page(str(ROOT / "pages/parameters.py")).run()


def programs(at: AppTest) -> str:
    return "\n".join(each.value for each in at.code)


@pytest.mark.parametrize("language", Language)
def test_a_network_from_the_builder_is_used(language):
    at = visit(OWN, language)

    assert not at.exception
    assert not at.warning
    assert "nn.Linear(3, 5)" in programs(at)


def test_a_step_may_go_back_to_the_lessons_own():
    at = visit(OWN)
    at.selectbox(key="parameters-all_names-network").set_value("").run()

    assert not at.exception
    assert "nn.Linear(3, 5)" not in programs(at)


def test_the_network_stays_with_the_lesson_for_the_visit():
    at = visit(OWN)
    at.switch_page(str(ROOT / "pages/home.py")).run()
    for name in ("network", "step"):
        if name in at.query_params:
            del at.query_params[name]
    at.switch_page(str(ROOT / "pages/parameters.py")).run()

    assert not at.exception
    assert "nn.Linear(3, 5)" in programs(at)


@pytest.mark.parametrize("language", Language)
def test_a_broken_link_is_reported_once_and_the_lessons_own_is_used(language):
    at = visit(BROKEN, language)

    assert not at.exception
    assert [each.value for each in at.warning] == [table()["network.broken-link"].said(language)]


def test_a_link_of_before_opens_the_step_with_its_network():
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params[plain.CHOICE] = "true"
    at.query_params["blocks_build_network"] = to_link(BARE)
    at.switch_page(str(ROOT / "pages/blocks.py")).run()

    assert not at.exception
    assert at.session_state["page-blocks"].steps["build"].step.spec == BARE


def test_a_network_that_was_brought_goes_back_to_the_builder():
    at = visit(to_link(OWN), "en")
    links = [each.proto for each in at.get("page_link") if to_link(OWN) in str(each.proto)]

    assert "builder" in [each.page for each in links]
