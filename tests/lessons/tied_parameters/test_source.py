"""Every program that a student is shown really runs, and answers what the report says."""

import warnings

import pytest

from playground.lessons.tied_parameters import source
from playground.lessons.tied_parameters.records import (
    Action,
    CountTied,
    Given,
    Handed,
    LoadTied,
    Position,
    ShareLayer,
    Sharing,
    StepTied,
    Tie,
    TiedBy,
    TiedGradient,
    TieReplay,
    shared_network,
)
from playground.machines import Machine
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.answers import answer_once as answer
from tests.programs import run_program
from tests.turns import in_turn

LAZY = Network(Block([Layer.of("LazyLinear", out_features=2), Shared("0")]), InputSpec((4, 2)))
FAILING = Network(
    Block(
        [
            Layer.of("Linear", in_features=5, out_features=2),
            Layer.of("LazyLinear", out_features=2),
        ]
    ),
    InputSpec((4, 3)),
)


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "optimizer contains a parameter group with duplicate")
        result, outcome = run_program(program, getattr(settings, "machine", Machine()))
    assert outcome == report.outcome  # torch's own words in both, or success in both
    assert "playground" not in program
    return report, result


@pytest.mark.parametrize("sharing", Sharing)
@pytest.mark.parametrize(("position", "value"), [(Position.FIRST, 100), (Position.SECOND, -3)])
def test_share_layer(sharing, position, value, capsys):
    settings = ShareLayer(sharing=sharing, position=position, value=value, seed=3)
    report, result = run_both(settings, source.share_layer(settings))

    assert capsys.readouterr().out == f"{report.printed}\n"
    told = (report.equal_before, report.equal_after, report.is_same_layer, report.other_value)
    assert result == told


@pytest.mark.parametrize(("uses", "seed"), [(2, 0), (4, 9999)])
def test_tied_gradient(uses, seed, capsys):
    settings = TiedGradient(uses=uses, seed=seed)
    report, (tied, parts) = run_both(settings, source.tied_gradient(settings))

    assert capsys.readouterr().out == f"{report.printed}\n"
    assert tuple(map(tuple, tied)) == report.tied
    assert tuple(tuple(map(tuple, part)) for part in parts) == report.parts


@pytest.mark.parametrize(
    "network", [*map(shared_network, (1, 2, 4)), *STARTS.values(), LAZY, FAILING]
)
def test_count_tied(network, capsys):
    settings = CountTied(network=network.to_json())
    report, result = run_both(settings, source.count_tied(settings))

    if report.outcome.ok:
        assert capsys.readouterr().out == f"{report.printed}\n"
        names, objects = len(report.rows), report.objects
        assert result == (report.counted, report.saved, names, objects, report.storages)


@pytest.mark.parametrize("given", Given)
def test_load_tied(given):
    settings = LoadTied(given=given)
    report, result = run_both(settings, source.load_tied(settings))

    assert result == (report.loaded if report.outcome.ok else None)


@pytest.mark.parametrize("handed", Handed)
def test_step_tied(handed):
    settings = StepTied(handed=handed, seed=2)
    report, result = run_both(settings, source.step_tied(settings))

    assert result == report.times


@pytest.fixture(scope="module")
def replayed():
    return answer(TieReplay(device="cuda:1"))


@in_turn("tied_by", TiedBy)
@pytest.mark.parametrize("action", Action)
def test_tie_replay(action, tied_by, replayed):
    settings = TieReplay(action=action, tied_by=tied_by, device="cuda:1")
    result, outcome = run_program(source.tie_replay(settings), settings.machine)

    found = replayed.at(action, tied_by)
    is_one_object, is_one_storage = found.after is Tie.ONE_OBJECT, found.after is not Tie.APART
    assert outcome == found.outcome
    assert result == (is_one_object, is_one_storage, found.parameters_after)


def test_a_device_that_is_not_there_is_refused_alike():
    settings = TieReplay(machine=Machine(kind="real"), action=Action.TO_DEVICE, device="cuda:63")
    run_both(settings, source.tie_replay(settings))
