"""A network of one's own in a lesson."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground import catalog, compute
from playground.catalog import Language
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from ui.words import table

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lazy_layers"  # until it is made of step modules
STEP = f"{LESSON}_timeline"
OWN = Network(
    Block([Layer("Linear", {"in_features": 3, "out_features": 5}, name="mine"), Layer("ReLU")]),
    InputSpec((2, 3)),
)
BROKEN = "☃"
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


def visit(network: Network | str | None = None, language: str = "en") -> AppTest:
    """Open a lesson of the old kind with a network in the link."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.session_state["steps"] = True
    for each in catalog.lesson(LESSON).steps:
        at.session_state[f"{LESSON}_{each.id}_code"] = True
    at.query_params["lang"] = language
    at.query_params["machine"] = "simulated"
    at.query_params[f"{STEP}_predicted"] = "skipped"
    if network is not None:
        at.query_params["network"] = network if isinstance(network, str) else to_link(network)
    return at.switch_page(str(ROOT / f"pages/{LESSON}.py")).run()


def uses(at: AppTest) -> dict[str, str]:
    """Which network each step uses, where there is a choice."""
    return {
        str(each.key): str(each.value)
        for each in at.button_group
        if (each.key or "").endswith("network_use")
    }


def programs(at: AppTest) -> str:
    return "\n".join(each.value for each in at.code)


def test_without_a_network_in_the_link_there_is_nothing_to_choose() -> None:
    at = visit()

    assert not at.exception
    assert uses(at) == {}


@pytest.mark.parametrize("language", Language)
def test_a_network_from_the_builder_is_used_by_every_step(language: Language) -> None:
    at = visit(OWN, language)

    assert not at.exception
    assert not at.warning
    assert set(uses(at).values()) == {"yours"}
    assert '"mine"' in programs(at)


def test_a_step_may_go_back_to_the_lessons_own() -> None:
    at = visit(OWN)
    at.button_group(key=f"{STEP}_network_use").set_value("own").run()

    assert not at.exception
    assert at.query_params[f"{STEP}_network_use"] == "own"
    assert "nn.LazyLinear(256)" in programs(at)


def test_reset_goes_back_to_the_lessons_own() -> None:
    at = visit(OWN)
    at.button(key=f"{STEP}_reset").click().run()

    assert not at.exception
    assert uses(at)[f"{STEP}_network_use"] == "own"


def test_the_network_stays_with_the_lesson_for_the_visit() -> None:
    at = visit(OWN)
    at.switch_page(str(ROOT / "pages/home.py")).run()
    del at.query_params["network"]
    at.switch_page(str(ROOT / f"pages/{LESSON}.py")).run()

    assert not at.exception
    assert set(uses(at).values()) == {"yours"}
    assert at.query_params["network"] == to_link(OWN)


@pytest.mark.parametrize("language", Language)
def test_a_broken_link_is_told_once_and_the_lessons_own_is_used(language: Language) -> None:
    at = visit(BROKEN, language)

    assert not at.exception
    assert [each.value for each in at.warning] == [table()["network.broken-link"].said(language)]


def test_a_step_that_is_a_program_takes_the_network_too() -> None:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params["step"] = "all_names"
    at.query_params["network"] = to_link(OWN)
    at.query_params["panel_plain"] = "true"
    at.switch_page(str(ROOT / "pages/parameters.py")).run()

    assert not at.exception
    assert "nn.Linear(3, 5)" in programs(at)


BUILDER = "blocks_build_network"


def visit_builder(link: str = "") -> AppTest:
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params["blocks_build_predicted"] = "skipped"
    if link:
        at.query_params[BUILDER] = link
    at.session_state["steps"] = True
    return at.switch_page(str(ROOT / "pages/blocks.py")).run()


def test_the_builder_links_to_every_lesson_of_the_chapter() -> None:
    at = visit_builder(to_link(OWN))
    links = [each.proto for each in at.get("page_link") if to_link(OWN) in str(each.proto)]

    assert not at.exception
    chapters = ("parameters", "files")
    closer = [each.name for each in catalog.lessons() if each.chapter in chapters]
    assert [each.page for each in links] == closer
    assert all(f"network={to_link(OWN)}" in each.query_string for each in links)


def test_a_network_that_comes_back_to_the_builder_is_put_on_the_bench() -> None:
    at = visit_builder(to_link(OWN))
    at.query_params[BUILDER] = to_link(BARE)
    at.run()

    assert not at.exception
    assert Network.from_json(at.session_state[BUILDER]) == BARE
