from playground import catalog
from playground.machines import Machine
from playground.modules.spec import InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from playground.steps import Step, Words, load_step, network_link
from ui import page_state
from ui.page_state import PageState
from ui.panel import controls

LINK = to_link(Network(Layer.of("Linear", in_features=3, out_features=2), InputSpec((1, 3))))


class Takes(Step):
    """A step that takes a network."""

    machine: Machine = Machine()
    network: str = network_link()

    def code(self, w: Words) -> str:
        del w
        return "pass"


def shown(step: Step, brought: str) -> list[tuple[str, ...]]:
    words = catalog.lesson("tensors").step("move")
    row = controls.row(step, words, (), catalog.Language.EN, brought)
    return [tuple(str(each["value"]) for each in control["options"]) for control in row]


def test_the_control_is_there_once_a_network_was_brought():
    assert shown(Takes(), "") == []
    assert shown(Takes(), LINK) == [("", LINK)]
    assert shown(Takes(network=LINK), LINK) == [("", LINK)]
    assert shown(Takes(network=LINK), "") == [("", LINK)]


def test_a_step_that_takes_none_stays_as_it_is():
    page = PageState(catalog.lesson("tensors"), "tensors", "move", brought=LINK)
    move = load_step("tensors", "move")()

    assert page_state.with_network(page, move) == move
    assert page_state.with_network(page, Takes()) == Takes(network=LINK)
    assert controls.ids(Takes(network=LINK)) == {"network": LINK}
