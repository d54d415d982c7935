"""What every action leaves of every tie: torch's behaviour, pinned, and told apart by writing."""

import pytest
import torch
from torch import nn

from playground.errors import InvalidSettingError
from playground.lessons.tied_parameters.records import Action, Tie, TiedBy, TieReplay
from playground.machines import Machine
from playground.machines.machine import MachineKind
from tests.answers import answer_once as answer
from tests.turns import in_turn

REAL = Machine(kind=MachineKind.REAL)
OBJECT, STORAGE, APART = Tie.ONE_OBJECT, Tie.ONE_STORAGE, Tie.APART
EXPECTED = {  # tied by Parameter, tied by storage; a shared module keeps its tie everywhere
    Action.TO_DTYPE: (OBJECT, APART),
    Action.HALF: (OBJECT, APART),
    Action.TO_DEVICE: (OBJECT, APART),
    Action.DEEPCOPY: (OBJECT, APART),
    Action.SAVE_LOAD: (OBJECT, STORAGE),
    Action.LOAD_ASSIGN: (STORAGE, STORAGE),
    Action.ASSIGN_COPIES: (APART, APART),
    Action.LOAD_AFTER_ASSIGN: (STORAGE, STORAGE),
    Action.TO_META: (APART, APART),
    Action.TO_EMPTY: (OBJECT, APART),
    Action.META_TO_EMPTY: (APART, APART),
    Action.STEP: (OBJECT, STORAGE),
}
BEFORE = {TiedBy.MODULE: OBJECT, TiedBy.PARAMETER: OBJECT, TiedBy.STORAGE: STORAGE}
TENSORS = {TiedBy.MODULE: 2, TiedBy.PARAMETER: 3, TiedBy.STORAGE: 4}


@pytest.fixture(scope="module")
def whole():
    return answer(TieReplay())


@in_turn("action", Action)
def test_what_an_action_leaves_of_a_tie(action, whole):
    by_parameter, by_storage = EXPECTED[action]
    expected = {
        TiedBy.MODULE: OBJECT,
        TiedBy.PARAMETER: by_parameter,
        TiedBy.STORAGE: by_storage,
    }
    for tied_by in TiedBy:
        found = whole.at(action, tied_by)
        assert (found.before, found.after) == (BEFORE[tied_by], expected[tied_by]), tied_by
        assert found.still_tied == (expected[tied_by] is BEFORE[tied_by])
        assert found.parameters_before == TENSORS[tied_by]
        is_split = BEFORE[tied_by] is OBJECT and expected[tied_by] is not OBJECT
        assert found.parameters_after == TENSORS[tied_by] + is_split
        if action is Action.TO_META:
            assert found.follows is None
        else:  # a number written through one name is read under the other
            assert found.follows == (expected[tied_by] is not APART)


@pytest.mark.parametrize(
    ("action", "tied_by"),
    [
        (Action.HALF, TiedBy.STORAGE),
        (Action.LOAD_ASSIGN, TiedBy.PARAMETER),
        (Action.LOAD_ASSIGN, TiedBy.STORAGE),
        (Action.META_TO_EMPTY, TiedBy.MODULE),
    ],
)
def test_the_chosen_one_is_told(action, tied_by, whole):
    report = answer(TieReplay(action=action, tied_by=tied_by))

    assert report.every == whole.every
    assert report.still_tied == whole.at(action, tied_by).still_tied
    assert report.actual == whole.at(action, tied_by).after


def test_the_actions_did_what_they_are_called(whole):
    every = {action: whole.at(action, TiedBy.STORAGE) for action in Action}
    places = {action: (found.device, found.dtype) for action, found in every.items()}

    expected = dict.fromkeys(Action, ("cpu", "float32"))
    expected[Action.TO_DTYPE] = ("cpu", "float64")
    expected[Action.HALF] = ("cpu", "float16")
    expected[Action.TO_DEVICE] = ("cuda:0", "float32")
    expected[Action.TO_META] = ("meta", "float32")
    assert places == expected


@pytest.mark.parametrize("tied_by", TiedBy)
def test_a_move_to_where_it_is_breaks_nothing(tied_by):
    settings = TieReplay(action=Action.TO_DEVICE, tied_by=tied_by, device="cpu")

    report = answer(settings)

    assert report.still_tied
    assert report.why == ("module-keeps" if tied_by is TiedBy.MODULE else "nowhere-to-go")


def test_a_device_that_is_not_there_is_torchs_refusal():
    settings = TieReplay(machine=REAL, action=Action.TO_DEVICE, device="cuda:63")

    report = answer(settings)

    assert (report.still_tied, report.why) == (None, "no-such-device")
    assert report.actual == report.outcome.error_type != ""
    assert report.at(Action.HALF, TiedBy.MODULE).still_tied  # the others were done all the same


def test_a_device_that_a_simulated_machine_has_not_is_refused():
    with pytest.raises(InvalidSettingError):
        TieReplay(machine=Machine(gpus=0), device="cuda:0")


def test_embedding_and_output_layer_tied_by_parameter_behave_alike():
    embedding, output = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    output.weight = embedding.weight
    net = nn.ModuleList([embedding, output]).to(torch.float64)

    assert net[0].weight is net[1].weight


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("tied_by", TiedBy)
def test_a_real_gpu_agrees_with_a_simulated_one(tied_by):
    real = answer(TieReplay(machine=REAL, tied_by=tied_by))
    simulated = answer(TieReplay(machine=Machine(gpus=1), tied_by=tied_by))

    assert real == simulated
