"""What the experiments answer, against plain torch run by the side, and against closed forms."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from playground.lessons.blocks.challenges import (
    computes_and_trains_nothing,
    gives_no_gradient,
)
from playground.lessons.blocks.records import (
    Call,
    CallSequential,
    CheckDuties,
    CompareWithSequential,
    Container,
    Copying,
    Duty,
    DutyBlock,
    MoveConstant,
    NestBlocks,
    Piece,
    Use,
    UseMySequential,
)
from playground.machines import Machine, MachineKind
from tests.answers import answer_once as answer
from tests.turns import in_turn

SEEDS = range(6)
REAL = Machine(kind=MachineKind.REAL)
SHAPES = {Piece.NEST_MLP: (20, 16), Piece.LINEAR: (16, 20), Piece.FIXED_HIDDEN: (20, None)}
PARAMETERS = {
    Piece.NEST_MLP: 20 * 64 + 64 + 64 * 32 + 32 + 32 * 16 + 16,
    Piece.LINEAR: 16 * 20 + 20,
    Piece.FIXED_HIDDEN: 20 * 20 + 20,
}


# B1


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_the_network_of_the_book_gives_ten_numbers_for_each_example(batch):
    report = answer(CallSequential(batch=batch))

    assert report.output_shape == (batch, 10)
    assert report.parameters == 20 * 256 + 256 + 256 * 10 + 10
    assert report.printed == f"torch.Size([{batch}, 10])"


def test_net_of_x_is_call_and_runs_all_hooks():
    report = answer(CallSequential(call=Call.NET))

    assert [each.name for each in report.called] == ["0", "1", "2", ""]
    assert [each.output_shape for each in report.called] == [(2, 256), (2, 256), (2, 10), (2, 10)]
    assert (report.actual, report.why) == ("all", "call-runs-hooks")


def test_forward_skips_the_hook_of_the_network_and_of_it_alone():
    report = answer(CallSequential(call=Call.FORWARD))

    assert [each.name for each in report.called] == ["0", "1", "2"]
    assert (report.actual, report.why) == ("layers", "forward-skips-hooks")
    assert report.output_shape == answer(CallSequential(call=Call.NET)).output_shape


@pytest.mark.parametrize("call", Call)
@pytest.mark.parametrize("width", [1, 19, 21])
def test_another_width_is_refused_before_any_hook_runs(call, width):
    report = answer(CallSequential(call=call, width=width))

    assert report.outcome.error_type == "RuntimeError"
    assert f"(2x{width} and 20x256)" in report.outcome.message
    assert (report.called, report.output_shape, report.why) == ((), None, "width-differs")


# B3


@in_turn("seed", SEEDS)
@pytest.mark.parametrize("copying", [Copying.LAYERS, Copying.SEED])
def test_with_the_same_weights_both_are_the_same_function(copying, seed):
    report = answer(CompareWithSequential(copying=copying, seed=seed))

    assert report.is_equal
    assert report.difference == 0
    assert report.mine == report.theirs
    assert all(report.same_weights)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_weights_of_their_own_they_differ(seed):
    report = answer(CompareWithSequential(seed=seed))

    assert (report.is_equal, report.why) == (False, "other-weights")
    assert not any(report.same_weights)
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    first, last = nn.Linear(20, 256), nn.Linear(256, 10)
    torch.manual_seed(seed)
    x = torch.rand(2, 20)
    assert report.theirs == tuple(net(x)[0].tolist())
    assert report.mine == tuple(last(F.relu(first(x)))[0].tolist())


def test_a_whole_state_dict_does_not_fit_since_the_names_differ():
    report = answer(CompareWithSequential(copying=Copying.STATE_DICT))

    assert report.outcome.error_type == "RuntimeError"
    assert "Missing key(s)" in report.outcome.message
    assert (report.is_equal, report.why, report.mine) == (None, "names-differ", ())
    assert report.their_names == ("0.weight", "0.bias", "2.weight", "2.bias")
    assert report.my_names == ("hidden.weight", "hidden.bias", "out.weight", "out.bias")


# B4


def test_an_optimizer_refuses_a_block_with_a_list_in_torchs_own_words():
    report = answer(UseMySequential(container=Container.LIST, use=Use.OPTIMIZER))

    assert report.outcome.error_type == "ValueError"
    assert report.outcome.message == "optimizer got an empty parameter list"
    assert (report.parameters, report.saved, report.reachable) == (0, 0, 4)
    assert report.is_fixed


def test_a_block_with_a_list_computes_nevertheless():
    report = answer(UseMySequential(container=Container.LIST, use=Use.FORWARD))

    assert report.output_shape == (2, 10)
    assert computes_and_trains_nothing(report)


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_layers_in_a_list_stay_behind(device):
    report = answer(UseMySequential(use=Use.MOVE, device=device))

    assert report.outcome.error_type == "RuntimeError"
    assert {row.device for row in report.tree if row.device} == {"cpu"}
    assert not any(row.is_registered for row in report.tree[1:])
    assert (report.is_fixed, report.why) == (True, "stays-behind")


@pytest.mark.parametrize("use", Use)
def test_registered_layers_are_known_in_order(use):
    report = answer(UseMySequential(container=Container.MODULES, use=use))

    assert report.outcome.ok
    assert report.modules_type == "dict"
    assert [key for key, _ in report.modules] == ["0", "1", "2"]
    assert [layer.partition("(")[0] for _, layer in report.modules] == ["Linear", "ReLU", "Linear"]
    assert (report.parameters, report.saved, report.reachable) == (4, 4, 4)
    assert all(row.is_registered for row in report.tree)
    assert {row.device for row in report.tree if row.device} == {
        "cuda:0" if use == Use.MOVE else "cpu"
    }
    assert not computes_and_trains_nothing(report)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has the device")
@pytest.mark.parametrize("container", Container)
def test_a_device_that_is_not_there_is_said_to_be_missing(container):
    used = answer(UseMySequential(machine=REAL, container=container, use=Use.MOVE))
    moved = answer(MoveConstant(machine=REAL))

    assert used.why == moved.why == "no-such-device"
    assert not moved.is_fixed


# B6


@in_turn("pieces", list(itertools.product(Piece, repeat=3)))
def test_blocks_fit_where_their_widths_do(pieces):
    first, second, third = pieces
    report = answer(NestBlocks(first=first, second=second, third=third))

    width, failed = 20, None
    for index, piece in enumerate(pieces):
        if width != SHAPES[piece][0]:
            failed = index
            break
        width = SHAPES[piece][1]
    expected = None if failed is not None else () if width is None else (2, width)
    assert report.output_shape == expected
    assert report.total == sum(PARAMETERS[piece] for piece in pieces)
    assert report.outcome.ok == (failed is None)
    if failed is not None:
        assert report.failed_at is not None
        assert report.failed_at.startswith(str(failed))
        assert [row.name for row in report.pieces if row.output_shape is None][0] == str(failed)
        assert sum(row.is_trouble for row in report.tree) == 1


def test_the_chimera_is_a_tree_of_eleven_modules_that_ends_in_a_number():
    report = answer(NestBlocks())

    assert (report.output_shape, report.modules, report.depth) == ((), 11, 3)
    assert [row.name for row in report.tree if row.depth == 1] == ["0", "1", "2"]
    assert [row.note for row in report.tree if row.note.endswith("×2")] == ["(2, 20) ×2"]


# B9


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("block", DutyBlock)
def test_every_block_does_what_it_should_and_the_broken_ones_miss_one_duty(block, seed):
    report = answer(CheckDuties(block=block, seed=seed))

    missed = {duty for duty, done in report.fulfilled.items() if not done}
    broken = {DutyBlock.WITH_DATA: {Duty.GRADIENT}, DutyBlock.WITH_LIST: {Duty.PARAMETERS}}
    assert missed == broken.get(block, set())
    assert gives_no_gradient(report) == (block == DutyBlock.WITH_DATA)


def test_a_centered_layers_slopes_are_the_closed_form():
    report = answer(CheckDuties(block=DutyBlock.CENTERED))

    torch.manual_seed(0)
    torch.rand(2, 5, dtype=torch.float64)
    weights = torch.rand(2, 5, dtype=torch.float64).flatten()
    expected = (weights - weights.mean()).tolist()
    assert [slope.autograd for slope in report.slopes] == pytest.approx(expected, abs=1e-12)
    assert [slope.finite for slope in report.slopes] == pytest.approx(expected, abs=1e-8)
    assert (report.parameters, report.why) == ((), "does-all-without-parameters")


def test_data_cuts_the_way_to_the_parameters_and_not_to_the_input():
    report = answer(CheckDuties(block=DutyBlock.WITH_DATA))

    assert report.without_gradient == ("weight", "bias")
    assert all(slope.distance < 1e-6 for slope in report.slopes if slope.name == "X")
    assert {slope.autograd for slope in report.slopes if slope.name != "X"} == {0.0}
    assert any(abs(slope.finite) > 0.1 for slope in report.slopes if slope.name == "weight")


def test_first_values_lie_within_the_default_bound_of_linear():
    report = answer(CheckDuties(block=DutyBlock.MLP))

    bounds = {"hidden": 1 / math.sqrt(20), "out": 1 / math.sqrt(256)}
    for row in report.parameters:
        bound = bounds[row.name.partition(".")[0]]
        assert -bound <= row.least < row.greatest <= bound
        assert row.is_listed
