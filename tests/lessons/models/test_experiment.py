"""What the experiments answer, against plain torch run by the side, and against closed forms."""

import itertools

import pytest
import torch
from torch import nn

from playground.lessons.models.challenges import (
    carries_its_averages_along,
    fails_with_a_clean_ledger,
)
from playground.lessons.models.experiment import catalogue
from playground.lessons.models.records import (
    CatalogueModule,
    ComputeLoss,
    FeedModel,
    FindModel,
    Layer,
    Moment,
    MoveInPlace,
    MoveLazy,
    MoveModel,
    MoveWithOptimizer,
    OptimizerName,
    Reading,
    ReadResult,
    Remedy,
    Thing,
    Way,
)
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.machines.simulated import simulated_gpus
from playground.modules.rows import Kind, Reason
from tests.answers import answer_once as answer
from tests.turns import in_turn

DEVICES = ("cpu", "cuda:0", "cuda:1")
PAIRS = list(itertools.product(DEVICES, DEVICES))
REAL = Machine(kind=MachineKind.REAL)
BROKEN = [each for each in CatalogueModule if each.is_mended_inside or each.is_mended_outside]
WHOLE = [each for each in CatalogueModule if each not in BROKEN]


# M1, M2


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_each_parameter_is_where_its_layer_was_put(first, second):
    report = answer(FindModel(first=first, second=second))

    assert report.parameters == (
        ("0.weight", first),
        ("0.bias", first),
        ("2.weight", second),
        ("2.bias", second),
    )
    assert report.first_device == first
    assert report.outcome.error_type == "AttributeError"
    assert report.why == ("model-in-one-place" if first == second else "model-in-two-places")


def test_parameters_is_a_generator_that_is_used_up():
    report = answer(FindModel())

    assert (report.collection, report.first_count, report.second_count) == ("generator", 4, 0)


@pytest.mark.parametrize(("start", "target"), PAIRS)
def test_a_module_moves_itself_and_keeps_its_parameters(start, target):
    report = answer(MoveInPlace(thing=Thing.MODULE, start=start, target=target))

    assert (report.place, report.returned_place) == (target, target)
    assert report.is_same_object
    assert report.keeps_parameter
    assert report.shares_memory == (start == target)


@pytest.mark.parametrize(("start", "target"), PAIRS)
def test_a_tensor_stays_and_a_copy_is_returned(start, target):
    report = answer(MoveInPlace(thing=Thing.TENSOR, start=start, target=target))

    assert (report.place, report.returned_place) == (start, target)
    assert report.is_same_object == report.shares_memory == (start == target)


# M3, M4


@in_turn("layer", Layer)
@pytest.mark.parametrize(("batch", "model"), PAIRS)
def test_a_batch_and_a_network_must_be_together(layer, batch, model):
    report = answer(FeedModel(layer=layer, batch=batch, model=model))

    assert report.outcome.ok == (batch == model)
    assert report.result_device == (model if batch == model else None)
    assert report.is_fixed == (batch != model)
    if batch != model:
        assert report.outcome.error_type == "RuntimeError"


@pytest.mark.parametrize(("batch", "model"), [pair for pair in PAIRS if pair[0] != pair[1]])
def test_a_linear_layer_names_mat1(batch, model):
    report = answer(FeedModel(batch=batch, model=model))

    assert (report.named_argument, report.why) == ("mat1", "names-mat1")


@pytest.mark.parametrize("gpus", [0, 1, 3])
def test_every_pair_is_tried_and_the_diagonal_works(gpus):
    report = answer(FeedModel(machine=Machine(gpus=gpus), batch="cpu", model="cpu"))

    assert len(report.pairs) == (gpus + 1) ** 2
    assert all(pair.outcome.ok == (pair.batch == pair.model) for pair in report.pairs)


@in_turn(("batch", "model", "labels", "weight"), list(itertools.product(DEVICES, repeat=4)))
def test_of_four_places_the_message_names_the_first_that_differs(batch, model, labels, weight):
    report = answer(ComputeLoss(batch=batch, model=model, labels=labels, weight=weight))

    if batch != model:
        assert (report.stage, report.named_argument, report.actual) == ("network", "mat1", "mat1")
        assert report.why == "batch-elsewhere"
    elif labels != model:
        assert (report.stage, report.named_argument) == ("loss", "target")
        assert report.why == "labels-elsewhere"
    elif weight != model:
        assert (report.stage, report.named_argument) == ("loss", "weight")
        assert report.why == "weight-elsewhere"
    else:
        assert (report.actual, report.why, report.loss_device) == ("nothing", "all-together", model)
    assert report.outcome.ok != report.is_fixed
    assert len(report.moves) == sum(place != model for place in (batch, labels, weight))


def test_class_weights_are_a_buffer_of_the_loss_and_no_parameter():
    report = answer(ComputeLoss())

    assert (report.loss_buffers, report.loss_parameters) == (("weight",), 0)


# M5


@in_turn("module", BROKEN)
@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_a_broken_module_fails_and_its_fix_works(module, device):
    report = answer(MoveModel(module=module, device=device))

    assert report.outcome.error_type == "RuntimeError"
    assert report.is_fixed
    assert report.fixed_values is not None
    assert not [row for row in report.fixed_rows if row.device_after not in (device, "cpu")]
    assert report.told["fixed_left_count"] == 0


@in_turn("module", BROKEN)
def test_a_broken_module_works_where_it_was_made(module):
    report = answer(MoveModel(module=module, device="cpu"))

    assert report.outcome.ok
    assert not report.is_fixed
    assert report.why == "all-moved"


@pytest.mark.parametrize("module", WHOLE)
def test_a_good_module_moves_as_a_whole(module):
    report = answer(MoveModel(module=module))

    assert report.outcome.ok
    assert report.left_behind == ()
    assert all(row.is_registered and row.has_moved for row in report.rows)
    assert report.fixed_outcome is None


@in_turn(
    "name",
    sorted({name for m in CatalogueModule for name in (m.class_name, m.repaired_class_name)}),
)
def test_the_rows_of_every_class_are_torchs_own(name):
    net = catalogue.build(name)
    with simulated_gpus(1, 8):
        net.to("cuda")
        expected = {name: str(each.device) for name, each in net.named_parameters()}
        expected |= {name: str(each.device) for name, each in net.named_buffers()}
        saved = set(net.state_dict())

    modules = [each for each in CatalogueModule if each.class_name == name]
    for module in modules:
        rows = answer(MoveModel(module=module)).rows
        registered = {row.path: row.device_after for row in rows if row.is_registered}
        if module == CatalogueModule.LOSS:
            assert registered.pop("loss.weight") == "cpu"
        if module == CatalogueModule.OWN_LAZY:
            assert registered.pop("weight") == "cpu"  # made after the move
        assert registered == expected
        in_state = {path for row in rows if row.in_state_dict for path in row.paths}
        assert saved <= in_state


@pytest.mark.parametrize(
    ("module", "path", "kind", "reason"),
    [
        ("list", "layers[0].weight", Kind.PARAMETER, Reason.IN_LIST),
        ("dict", "heads['digit'].weight", Kind.PARAMETER, Reason.IN_DICT),
        ("parameter_list", "weights[1]", Kind.PARAMETER, Reason.IN_LIST),
        ("constant", "rand_weight", Kind.TENSOR, Reason.PLAIN_ATTRIBUTE),
        ("nested", "scales['in'][0]", Kind.TENSOR, Reason.IN_DICT),
        ("kept_result", "scaled", Kind.TENSOR, Reason.COMPUTED),
        ("loss", "loss.weight", Kind.LOSS_BUFFER, Reason.IN_LOSS),
        (
            *("optimizer", "optimizer.state['hidden.bias']['exp_avg']"),
            *(Kind.OPTIMIZER_STATE, Reason.OPTIMIZER_STATE),
        ),
    ],
)
def test_what_is_left_behind_is_called_what_it_is(module, path, kind, reason):
    report = answer(MoveModel(module=CatalogueModule(module)))

    (row,) = [row for row in report.left_behind if row.path == path]
    assert (row.kind, row.reason, row.device_after) == (kind, reason, "cpu")


def test_tied_weights_are_one_row_with_all_names():
    rows = answer(MoveModel(module=CatalogueModule.TIED)).rows

    assert rows[0].paths == ("encoder.weight", "decoder.weight", "to_watch[0].weight")


def test_what_forward_makes_is_in_no_ledger():
    report = answer(MoveModel(module=CatalogueModule.MADE_IN_FORWARD))

    assert (report.left_behind, report.why) == ((), "made-on-the-fly")
    assert fails_with_a_clean_ledger(report)


@in_turn("module", [m for m in CatalogueModule if m != "made_in_forward"])
def test_no_other_module_fails_with_a_clean_ledger(module):
    assert not fails_with_a_clean_ledger(answer(MoveModel(module=module)))


# M6


@in_turn("steps", [0, 1, 3])
@pytest.mark.parametrize("optimizer", OptimizerName)
def test_what_breaks_is_state_on_the_old_device_and_nothing_else(optimizer, steps):
    report = answer(MoveWithOptimizer(optimizer=optimizer, steps=steps))

    has_state = steps > 0 and optimizer != OptimizerName.SGD
    is_early = optimizer == OptimizerName.ADAGRAD
    assert report.outcome.ok == (not has_state and not is_early)
    assert report.is_same_parameter
    assert report.holds_parameter
    if has_state or is_early:
        assert report.outcome.error_type == "RuntimeError"
        assert {row.device_after for row in report.state_rows} == {"cpu"}
        assert report.why == ("state-left-behind" if steps else "state-from-birth")
    else:
        assert (report.has_trained, report.why) == (True, "same-objects")


@in_turn("steps", [0, 1, 3])
@pytest.mark.parametrize("optimizer", OptimizerName)
def test_loading_its_own_state_dict_mends_every_optimizer(optimizer, steps):
    settings = MoveWithOptimizer(optimizer=optimizer, steps=steps, remedy=Remedy.LOAD)

    report = answer(settings)

    assert (report.has_trained, report.why) == (True, "state-brought-along")
    kept = [row for row in report.state_rows if row.reason != Reason.STEP_COUNT]
    assert {row.device_after for row in kept} <= {"cuda:0"}


@pytest.mark.parametrize("optimizer", OptimizerName)
def test_an_optimizer_made_after_the_move_is_always_right(optimizer):
    report = answer(MoveWithOptimizer(optimizer=optimizer, moment=Moment.AFTER))

    assert (report.has_trained, report.why) == (True, "made-after")


@in_turn("remedy", Remedy)
@in_turn("steps", [0, 2])
@pytest.mark.parametrize("optimizer", OptimizerName)
def test_new_parameters_by_hand_are_trained_by_nobody(optimizer, steps, remedy):
    settings = MoveWithOptimizer(optimizer=optimizer, steps=steps, way=Way.REPLACED, remedy=remedy)

    report = answer(settings)

    assert (report.actual, report.why) == ("trains_nothing", "trains-the-dead")
    assert not report.is_same_parameter
    assert not report.holds_parameter
    lost = [row for row in report.rows if row.reason == Reason.ONLY_IN_OPTIMIZER]
    assert len(lost) == 2


def test_the_mended_optimizer_takes_the_step_it_would_have_taken_at_home():
    def trained(moves):
        torch.manual_seed(0)
        net = nn.Linear(4, 3)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        for step in range(3):
            if moves and step == 2:
                net.to("cuda")
                optimizer.load_state_dict(optimizer.state_dict())
            optimizer.zero_grad()
            net(torch.ones(2, 4).to(net.weight.device)).sum().backward()
            optimizer.step()
        return net.weight.tolist()

    with simulated_gpus(1, 8):
        assert trained(moves=True) == trained(moves=False)


def test_averages_must_have_moved_for_the_challenge():
    good = MoveWithOptimizer(steps=1, remedy=Remedy.LOAD)
    assert carries_its_averages_along(answer(good))
    for other in (
        MoveWithOptimizer(steps=0),
        MoveWithOptimizer(steps=1),
        MoveWithOptimizer(steps=1, remedy=Remedy.LOAD, target="cpu"),
        MoveWithOptimizer(steps=1, remedy=Remedy.LOAD, optimizer=OptimizerName.SGD),
        MoveWithOptimizer(steps=1, remedy=Remedy.LOAD, way=Way.REPLACED),
        MoveWithOptimizer(moment=Moment.AFTER, steps=1),
    ):
        assert not carries_its_averages_along(answer(other))


# M7, M8


@pytest.mark.parametrize(("target", "batch"), PAIRS)
def test_a_lazy_weight_knows_its_device_before_its_shape(target, batch):
    report = answer(MoveLazy(target=target, batch=batch))

    moved, fed = (report.at(stage, "net[0].weight") for stage in ("moved", "fed"))
    last = report.at("fed", "net[2].weight")
    assert (moved.kind, moved.device, moved.shape) == ("UninitializedParameter", target, None)
    assert (fed.kind, fed.device, fed.shape) == ("Parameter", target, (8, 4))
    assert report.actual == target
    assert report.outcome.ok == (target == batch)
    assert report.is_fixed == (target != batch)
    assert last.kind == ("Parameter" if target == batch else "UninitializedParameter")


@pytest.mark.parametrize(
    ("reading", "place", "copied"),
    [
        (Reading.ITEM, "python_number", 4),
        (Reading.CPU, "cpu", 24),
        (Reading.TOLIST, "python_number", 24),
        (Reading.NUMPY, "cpu", 24),
        (Reading.BARE_NUMPY, "other", 0),
        (Reading.ARGMAX, "cuda:1", 0),
        (Reading.BRANCH, "python_number", 1),
        (Reading.NON_BLOCKING, "cpu", 24),
    ],
)
def test_where_a_reading_ends_and_what_it_copies(reading, place, copied):
    report = answer(ReadResult(device="cuda:1", reading=reading))

    assert (report.result_device, report.actual, report.copied_bytes) == ("cuda:1", place, copied)
    assert report.waited is None  # a simulated device has no time


@pytest.mark.parametrize("reading", Reading)
def test_on_the_cpu_there_is_nothing_to_wait_for(reading):
    report = answer(ReadResult(device="cpu", reading=reading))

    assert report.outcome.ok
    assert (report.why, report.copied_bytes, report.waited) == ("result-on-host", 0, None)


def test_the_sum_that_is_read_is_the_sum():
    assert answer(ReadResult(reading=Reading.ITEM)).value == str(2 * 3 * 4 * 0.5)


# devices that are not there


@pytest.mark.parametrize(
    "settings",
    [
        FindModel(machine=REAL, first="cuda:63"),
        MoveInPlace(machine=REAL, target="cuda:63"),
        FeedModel(machine=REAL, model="cuda:63"),
        ComputeLoss(machine=REAL, batch="cpu", model="cpu", labels="cpu", weight="cuda:63"),
        MoveModel(machine=REAL, device="cuda:63"),
        MoveWithOptimizer(machine=REAL, target="cuda:63"),
        MoveLazy(machine=REAL, target="cuda:63"),
        ReadResult(machine=REAL, device="cuda:63"),
    ],
)
def test_a_device_that_is_not_there_is_torchs_refusal(settings):
    report = answer(settings)

    assert not report.outcome.ok
    assert report.why == "no-such-device"
    assert not report.is_fixed


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("reading", [Reading.ITEM, Reading.CPU, Reading.TOLIST, Reading.BRANCH])
def test_a_real_gpu_is_waited_for(reading):
    assert answer(ReadResult(machine=REAL, reading=reading)).waited


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_real_gpu_is_not_waited_for_when_nothing_is_read():
    assert answer(ReadResult(machine=REAL, reading=Reading.ARGMAX)).waited is False


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("module", CatalogueModule)
def test_a_real_gpu_agrees_with_a_simulated_one(module):
    real = answer(MoveModel(machine=REAL, module=module))
    simulated = answer(MoveModel(machine=Machine(gpus=1), module=module))

    assert real.outcome == simulated.outcome
    assert real.rows == simulated.rows
    assert real.fixed_rows == simulated.fixed_rows
