"""A network of one's own in a lesson, and the tree in which a parameter is picked."""

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
TREE = "parameters_tree_"
OWN = Network(
    Block([Layer("Linear", {"in_features": 3, "out_features": 5}, name="mine"), Layer("ReLU")]),
    InputSpec((2, 3)),
)
BROKEN = "☃"
UNBUILDABLE = Network(Block([Layer.of("Linear", in_features=3)]), InputSpec((2, 3)))
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


@pytest.fixture(autouse=True)
def inline() -> Iterator[None]:
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


def visit(network: Network | str | None = None, language: str = "en") -> AppTest:
    """Open the lesson with a network in the link, the question of the tree skipped."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.session_state["steps"] = True
    for each in catalog.lesson("parameters").steps:
        at.session_state[f"parameters_{each.id}_code"] = True
    at.query_params["lang"] = language
    at.query_params["machine"] = "simulated"
    at.query_params[f"{TREE}predicted"] = "skipped"
    if network is not None:
        at.query_params["network"] = network if isinstance(network, str) else to_link(network)
    return at.switch_page(str(ROOT / "pages/parameters.py")).run()


def rows(at: AppTest) -> list[str]:
    """The lines of the tree."""
    keys = f"{TREE}path-leaf-"
    return [each.label for each in at.button if (each.key or "").startswith(keys)]


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
    assert "block 1" in " ".join(rows(at))


@pytest.mark.parametrize("language", Language)
def test_a_network_from_the_builder_is_used_by_every_step(language: Language) -> None:
    at = visit(OWN, language)

    assert not at.exception
    assert not at.warning
    assert len(uses(at)) == 7
    assert "mine" in " ".join(rows(at))
    assert "nn.Linear(3, 5)" in programs(at)


def test_a_step_may_go_back_to_the_lessons_own() -> None:
    at = visit(OWN)
    at.button_group(key=f"{TREE}network_use").set_value("own").run()

    assert not at.exception
    assert "block 1" in " ".join(rows(at))
    assert at.query_params[f"{TREE}network_use"] == "own"
    assert "rgnet = nn.Sequential(block2(), nn.Linear(4, 1))" in programs(at)


def test_reset_goes_back_to_the_lessons_own() -> None:
    at = visit(OWN)
    at.button(key=f"{TREE}reset").click().run()

    assert not at.exception
    assert uses(at)[f"{TREE}network_use"] == "own"


def test_the_network_stays_with_the_lesson_for_the_visit() -> None:
    at = visit(OWN)
    at.switch_page(str(ROOT / "pages/home.py")).run()
    del at.query_params["network"]
    at.switch_page(str(ROOT / "pages/parameters.py")).run()

    assert not at.exception
    assert set(uses(at).values()) == {"yours"}
    assert at.query_params["network"] == to_link(OWN)


@pytest.mark.parametrize("language", Language)
def test_a_broken_link_is_told_once_and_the_lessons_own_is_used(language: Language) -> None:
    at = visit(BROKEN, language)

    assert not at.exception
    assert [each.value for each in at.warning] == [table()["network.broken-link"].said(language)]
    assert "block 1" in " ".join(rows(at))


@pytest.mark.parametrize("network", [UNBUILDABLE, BARE], ids=["unbuildable", "bare"])
def test_a_network_of_no_use_is_told_beside_the_control(network: Network) -> None:
    at = visit(network)

    assert not at.exception
    assert at.warning
    at.button_group(key=f"{TREE}network_use").set_value("own").run()
    assert "block 1" in " ".join(rows(at))


def test_a_press_on_a_module_opens_it_and_picks_its_first_parameter() -> None:
    at = visit()
    closed = next(each for each in at.button if "block 3" in each.label and TREE in str(each.key))
    closed.click().run()

    assert at.query_params[f"{TREE}path"] == "0.block 3.0.weight"
    assert "rgnet[0][3][0].weight" in programs(at)


def test_a_press_on_a_parameter_picks_it() -> None:
    at = visit()
    weight = next(
        each for each in at.button if "**weight**" in each.label and TREE in str(each.key)
    )
    weight.click().run()

    assert at.query_params[f"{TREE}path"] == "0.block 1.0.weight"
    assert [row for row in rows(at) if "●" in row] == [":gray[●] **weight** `(8, 4)`"]


def test_a_module_without_parameters_cannot_be_picked() -> None:
    at = visit()
    relu = [each for each in at.button if "ReLU" in each.label and TREE in str(each.key)]

    assert relu
    assert all(each.disabled for each in relu)


@pytest.mark.parametrize("language", Language)
def test_a_pattern_that_matches_nothing_is_one_sentence_and_the_last_result_stays(
    language: Language,
) -> None:
    at = visit(language=language)
    at.button(key="parameters_counting_skip").click().run()
    (before,) = [each.value for each in at.code if "fnmatchcase" in each.value]
    at.text_input(key="parameters_counting_pattern").set_value("9.*").run()

    assert not at.exception
    (told,) = [each.value for each in at.warning]
    assert "9.*" in told
    assert before in programs(at)


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


def test_every_tree_keeps_its_style_in_its_own_card() -> None:
    """Style alone would go to a place that all cards share, where the last card's replaces it."""
    styles = [each.value for each in visit().main.get("html") if "-leaf-tree" in each.value]
    trees = ("one-layer", "tree", "setting")
    assert len(styles) == len(trees)
    for name, style in zip(trees, styles, strict=True):
        assert f"parameters_{name}_path-leaf-" in style
