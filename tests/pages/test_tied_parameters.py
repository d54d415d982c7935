"""The page of the lesson tied_parameters with a network that came along in the link."""

from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.link import to_link
from tests.pages.test_pages import inline, programs, visit

__all__ = ["inline"]  # experiments run in this process
LINEAR = {"in_features": 5, "out_features": 5}
NETWORK = Network(
    Block(
        [Layer("Linear", LINEAR, name="encoder"), Layer("Tanh"), Shared("encoder", name="again")]
    ),
    InputSpec((2, 5)),
)


STEP = "tied_parameters_identity-ledger"
SKIPPED = {f"{STEP}_predicted": "skipped"}


def test_the_ledger_takes_the_network_of_the_link() -> None:
    at = visit("tied_parameters", network=to_link(NETWORK), **SKIPPED)

    assert not at.exception
    assert any("nn.Linear(5, 5)" in program for program in programs(at))


def test_a_broken_link_leaves_the_lessons_own_network() -> None:
    at = visit("tied_parameters", network="nonsense", **SKIPPED)

    assert not at.exception
    assert len(at.warning) == 1
    assert any("nn.Linear(4, 8)" in program for program in programs(at))


def test_more_places_make_more_names() -> None:
    at = visit("tied_parameters", **SKIPPED)
    at.number_input(key=f"{STEP}_places").set_value(4).run()

    program = next(each for each in programs(at) if "groups.setdefault" in each)
    assert program.count("    shared,") == 4
