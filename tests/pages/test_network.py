"""A network of one's own in a lesson."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.catalog import Language
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from ui.language import table
from ui.panel import plain

ROOT = Path(__file__).resolve().parents[2]
OWN = Network(
    Block([Layer("Linear", {"in_features": 3, "out_features": 5}, name="mine"), Layer("ReLU")]),
    InputSpec((2, 3)),
)
BROKEN = "☃"
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


@pytest.fixture(autouse=True)
def inline():
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


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


BUILDER = "blocks_build_network"  # in links of before


def visit_builder(link: str) -> AppTest:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params[plain.CHOICE] = "true"
    at.query_params[BUILDER] = link
    at.switch_page(str(ROOT / "pages/blocks.py")).run()
    return at.button(key="blocks-build-run").click().run()


def test_the_builder_links_to_every_lesson_of_the_chapter():
    at = visit_builder(to_link(OWN))
    links = [each.proto for each in at.get("page_link") if to_link(OWN) in str(each.proto)]

    assert not at.exception
    chapters = ("parameters", "files")
    closer = [each.name for each in catalog.lessons() if each.chapter in chapters]
    assert [each.page for each in links] == closer
    assert all(f"network={to_link(OWN)}" in each.query_string for each in links)


def test_a_network_that_comes_back_to_the_builder_is_put_on_the_bench():
    at = visit_builder(to_link(OWN))
    at.query_params[BUILDER] = to_link(BARE)
    at.run()

    assert not at.exception
    assert Network.from_json(at.session_state["blocks_build_history"].text) == BARE
