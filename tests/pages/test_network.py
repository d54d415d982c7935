import pytest

from playground.catalog import Language
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from tests.pages.app import go, sentence, text, visit, warnings

pytestmark = pytest.mark.usefixtures("inline")

OWN = Network(
    Block([Layer("Linear", {"in_features": 3, "out_features": 5}, name="mine"), Layer("ReLU")]),
    InputSpec((2, 3)),
)
LINK = to_link(OWN)
BARE = Network(Block([Layer("ReLU")]), InputSpec((2, 3)))


@pytest.mark.parametrize("language", Language)
def test_a_network_from_the_builder_is_used_and_goes_back_to_the_builder(language):
    at = visit("parameters", step="all_names", network=LINK, lang=language)

    assert not at.exception
    assert not at.warning
    assert "nn.Linear(3, 5)" in text(at)
    links = [each.proto for each in at.get("page_link") if LINK in str(each.proto)]
    assert "builder" in [each.page for each in links]


def test_a_step_may_go_back_to_the_lessons_own_and_the_next_one_still_has_the_network():
    at = visit("save_and_load", step="model", network=LINK)
    assert "nn.Linear(3, 5)" in text(at)

    at.selectbox(key="save_and_load-model-network").set_value("").run()
    assert "class MLP" in text(at)
    assert "nn.Linear(3, 5)" not in text(at)
    at.query_params["step"] = "keys"
    at.run()
    assert not at.exception
    assert "nn.Linear(3, 5)" in text(at)


def test_the_network_stays_with_the_lesson_for_the_visit():
    at = go(visit("parameters", step="all_names", network=LINK), "home")
    for name in ("network", "step"):
        if name in at.query_params:
            del at.query_params[name]
    go(at, "parameters")

    assert not at.exception
    assert "nn.Linear(3, 5)" in text(at)


@pytest.mark.parametrize(("broken", "language"), [("☃", "en"), ("☃", "zh"), ("nonsense", "en")])
def test_a_broken_link_is_reported_once_and_the_lessons_own_is_used(broken, language):
    at = visit("save_and_load", step="model", network=broken, lang=language)
    assert not at.exception
    assert warnings(at) == [sentence("network.broken-link", language)]
    assert "class MLP" in text(at)


def test_a_link_of_before_opens_the_step_with_its_network():
    at = visit("blocks", blocks_build_network=to_link(BARE))
    assert not at.exception
    assert at.session_state["page-blocks"].steps["build"].step.spec == BARE
