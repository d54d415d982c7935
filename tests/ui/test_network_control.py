from playground import catalog
from playground.modules.spec import InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from playground.steps import Step, load_step
from ui import page_state
from ui.page_state import PageState
from ui.panel import controls

LINK = to_link(Network(Layer.of("Linear", in_features=3, out_features=2), InputSpec((1, 3))))
WORDS = catalog.lesson("parameters").step("all_names")
TAKES = load_step("parameters", "all_names")


def shown(step: Step, brought: str) -> list[tuple[str, ...]]:
    row = controls.row(step, WORDS, (), catalog.Language.EN, brought)
    return [tuple(str(each["value"]) for each in control["options"]) for control in row]


def test_the_control_is_there_once_a_network_was_brought():
    assert shown(TAKES(), "") == []
    assert shown(TAKES(), LINK) == [("", LINK)]
    assert shown(TAKES(network=LINK), LINK) == [("", LINK)]
    assert shown(TAKES(network=LINK), "") == [("", LINK)]


def test_a_step_that_takes_none_stays_as_it_is():
    page = PageState(catalog.lesson("tensors"), "tensors", "move", brought=LINK)
    move = load_step("tensors", "move")()
    assert page_state.with_network(page, move) == move
    assert page_state.with_network(page, TAKES()) == TAKES(network=LINK)
    assert controls.ids(TAKES(network=LINK)) == {"network": LINK}
