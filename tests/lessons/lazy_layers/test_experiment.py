"""What the experiments answer, against plain torch run by the side."""

import copy
import inspect
import io

import pytest
import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from playground.errors import InvalidSettingError
from playground.lessons.lazy_layers import challenges
from playground.lessons.lazy_layers.records import (
    OWN,
    Action,
    AskTooEarly,
    Batch,
    Check,
    CompareSeeds,
    FeedAgain,
    FeedLazyLayer,
    InitialiseNet,
    LazyTimeline,
    ListLazyLayers,
    Meeting,
    Moment,
    Optimizer,
    Probe,
    Question,
    Recipe,
    StageName,
    TrainFromBefore,
    TryTooEarly,
    Written,
    recipes_for,
    without_addresses,
)
from playground.machines import Machine
from playground.machines.machine import MachineKind
from playground.modules.spec.starts import STARTS
from tests.answers import answer_once as answer

REAL = Machine(kind=MachineKind.REAL)
STUDENTS = {name: each.to_json() for name, each in STARTS.items()}


def lazy_net():
    return nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))


def refusal(action):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which it is, the caller compares
        action()
    return type(caught.value).__name__, without_addresses(str(caught.value))


# Z1


def test_a_layer_without_shapes_says_what_torch_says():
    report = answer(AskTooEarly())

    said = dict(zip(Question, report.before, strict=True))
    weight = nn.LazyLinear(256).weight
    for question, ask in (
        (Question.SHAPE, lambda: weight.shape),
        (Question.NUMEL, lambda: weight.numel()),
        (Question.LEN, lambda: len(weight)),
        (Question.NORM, lambda: weight.norm()),
    ):
        outcome = said[question].outcome
        assert (outcome.error_type, outcome.message) == refusal(ask)
    assert said[Question.WEIGHT].text == "<UninitializedParameter>"
    assert said[Question.SIZE].text == repr(weight.size()) == "torch.Size([0])"
    assert said[Question.LAYER].text == repr(nn.LazyLinear(256))


@pytest.mark.parametrize(
    ("written", "out", "has_bias", "shape"),
    [
        (Written.OUT, 256, True, (256, 20)),
        (Written.TWO_NUMBERS, 20, True, (20, 20)),
        (Written.NO_BIAS, 256, False, (256, 20)),
        (Written.CONV, 16, True, (16, 3, 3, 3)),
    ],
)
def test_the_first_number_is_the_outputs_however_it_is_meant(written, out, has_bias, shape):
    report = answer(AskTooEarly(written=written))

    assert (report.out, report.has_bias, report.shape) == (out, has_bias, shape)


# Z2


@pytest.mark.parametrize("device", ["cpu", "cuda:0", "cuda:1"])
def test_the_network_finds_its_shapes_layer_by_layer(device):
    report = answer(LazyTimeline(device=device))

    assert [stage.name for stage in report.stages] == list(StageName)
    shapes = [[each.shape for each in stage.layers] for stage in report.stages]
    both = [(256, 20), (10, 256)]
    assert shapes == [[None, None], [None, None], [(256, 20), None], both]
    kinds = [[each.type_name for each in stage.layers] for stage in report.stages]
    assert kinds[1:] == [["LazyLinear"] * 2, ["Linear", "LazyLinear"], ["Linear"] * 2]
    assert [stage.layers[0].device for stage in report.stages] == ["cpu", device, device, device]
    assert [stage.parameters for stage in report.stages] == [None, None, None, 7946]
    assert (report.output_shape, report.same_objects) == ((2, 10), True)


def test_every_stop_answers_as_a_plain_network_does_there():
    stages = answer(LazyTimeline(device="cpu")).stages

    net = lazy_net()
    expected = {
        Probe.SHAPE: refusal(lambda: net[0].weight.shape),
        Probe.NUMEL: refusal(lambda: net[0].weight.numel()),
        Probe.INITIALISER: refusal(lambda: nn.init.zeros_(net[0].weight)),
        Probe.ADAGRAD: refusal(lambda: torch.optim.Adagrad(net.parameters())),
    }
    for stage in stages[:2]:
        for probe, (error_type, message) in expected.items():
            outcome = stage.answer(probe).outcome
            assert (outcome.error_type, outcome.message) == (error_type, message)
        assert stage.answer(Probe.SGD).outcome.ok
    inside, after = stages[2:]
    assert inside.answer(Probe.NUMEL).text == "5120"
    for probe in (Probe.SHAPE, Probe.STATE_DICT):
        assert inside.answer(probe).text == "(256, 20)"
    assert stages[0].answer("state_dict").text == "<UninitializedParameter>"
    assert inside.answer("adagrad").outcome.error_type == "ValueError"  # the last layer waits
    assert all(after.answer(probe).outcome.ok for probe in Probe)


@pytest.mark.parametrize("seed", [0, 7])
def test_asking_leaves_the_weights_as_they_are(seed):
    stages = answer(LazyTimeline(device="cpu", seed=seed)).stages

    torch.manual_seed(seed)
    net = lazy_net()
    batch = torch.randn(2, 20)
    net(batch)
    beginning = " ".join(repr(net[0].weight).split())[:40]
    assert stages[2].answer("weight").text.startswith(beginning)
    assert stages[3].answer("weight") == stages[2].answer("weight")


def test_a_first_forward_that_fails_leaves_a_shape_behind():
    report = answer(LazyTimeline(batch=Batch.WRONG_TYPE, device="cpu"))

    net = lazy_net()
    batch = torch.ones(2, 20, dtype=torch.int64)
    assert (report.outcome.error_type, report.outcome.message) == refusal(lambda: net(batch))
    assert report.shape == tuple(net[0].weight.shape) == (256, 20)
    assert isinstance(net[2].weight, UninitializedParameter)
    assert report.waiting == ("2",)
    assert report.why == "failed-and-shaped"


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize("batch", Batch)
def test_any_network_can_be_followed(name, batch):
    report = answer(LazyTimeline(network=STUDENTS[name], batch=batch, device="cpu"))

    assert report.outcome.ok == (batch is Batch.FITTING)
    if report.outcome.ok:
        assert not report.waiting
        assert report.stages[-1].parameters is not None
        assert report.actual in report.answers


def test_without_the_device_nothing_moves():
    if torch.cuda.is_available():
        pytest.skip("there is one")
    report = answer(LazyTimeline(machine=REAL, device="cuda:0"))

    assert not report.outcome.ok
    assert (len(report.stages), report.why) == (1, "never-moved")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_real_gpu_gives_the_same_shapes():
    report = answer(LazyTimeline(machine=REAL, device="cuda:0"))

    simulated = answer(LazyTimeline(device="cuda:0"))
    seen = [[(each.shape, each.device) for each in stage.layers] for stage in report.stages]
    assert seen == [
        [(each.shape, each.device) for each in stage.layers] for stage in simulated.stages
    ]


# Z3


def test_what_works_too_early_and_what_does_not():
    report = answer(TryTooEarly())

    fails = {each.action for each in report.tried if not each.before.outcome.ok}
    assert fails == {
        Action.COUNT,
        Action.INIT_NORMAL,
        Action.INIT_XAVIER,
        Action.FREEZE,
        Action.BFLOAT16,
        Action.SAVE_AND_LOAD,
        Action.INTO_EAGER,
        Action.ADAGRAD,
    }
    assert all(each.after.outcome.ok for each in report.tried)
    count = 20 * 256 + 256 + 256 * 10 + 10
    assert report.chosen.after.text == str(count)


def test_the_errors_are_those_of_torch():
    def load():
        file = io.BytesIO()
        torch.save(lazy_net().state_dict(), file)
        file.seek(0)
        torch.load(file)

    eager = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    for action, do in (
        (Action.COUNT, lambda: sum(p.numel() for p in lazy_net().parameters())),
        (Action.INIT_NORMAL, lambda: nn.init.normal_(lazy_net()[0].weight)),
        (Action.FREEZE, lambda: lazy_net().requires_grad_(False)),
        (Action.INTO_EAGER, lambda: eager.load_state_dict(lazy_net().state_dict())),
        (Action.ADAGRAD, lambda: torch.optim.Adagrad(lazy_net().parameters())),
    ):
        outcome = answer(TryTooEarly(action=action)).outcome
        assert (outcome.error_type, outcome.message) == refusal(do)
    outcome = answer(TryTooEarly(action=Action.SAVE_AND_LOAD)).outcome
    assert outcome.error_type == refusal(load)[0] == "UnpicklingError"


def test_what_the_reasons_claim_is_so():
    lazy_net().to(torch.bfloat16)
    lazy_net().half()
    frozen = lazy_net()
    for each in frozen.parameters():
        each.requires_grad = False
    frozen(torch.ones(2, 20))
    assert not any(each.requires_grad for each in frozen.parameters())

    eager = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
    loaded = lazy_net()
    loaded.load_state_dict(eager.state_dict())
    assert "LazyLinear" in repr(loaded)
    loaded(torch.ones(2, 20))
    assert "Lazy" not in repr(loaded)
    assert torch.equal(loaded[0].weight, eager[0].weight)


def test_a_lazy_normalisation_layer_cannot_be_copied():
    report = answer(TryTooEarly(network=STUDENTS["residual"], action=Action.DEEPCOPY))

    assert report.outcome.error_type == "ValueError"
    assert report.why == "early-copies-no-buffer"
    assert refusal(lambda: copy.deepcopy(nn.LazyBatchNorm1d()))[0] == "ValueError"


@pytest.mark.parametrize("name", STUDENTS)
def test_any_network_can_be_tried(name):
    report = answer(TryTooEarly(network=STUDENTS[name]))

    assert len(report.tried) == len(Action)


def test_all_optimizers_of_torch_are_there():
    found = {
        name
        for name, each in inspect.getmembers(torch.optim, inspect.isclass)
        if issubclass(each, torch.optim.Optimizer) and each is not torch.optim.Optimizer
    }

    assert set(map(str, Optimizer)) == found


def test_an_optimizer_that_keeps_parameters_trains_them_when_they_have_shapes():
    report = answer(TrainFromBefore())

    refused = {
        moment: {
            each.optimizer for each in report.tried if each.moment is moment and not each.changed
        }
        for moment in Moment
    }
    assert refused[Moment.BEFORE] == {Optimizer.ADAGRAD, Optimizer.MUON, Optimizer.SPARSE_ADAM}
    assert refused[Moment.AFTER] == {Optimizer.MUON, Optimizer.SPARSE_ADAM}
    assert (report.chosen.changed, report.chosen.is_held, report.actual) == (4, True, "trains")


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("check", "moment", "actual"),
    [
        (Check.TYPE, Moment.BEFORE, "untouched"),
        (Check.TYPE, Moment.AFTER, "initialised"),
        (Check.ISINSTANCE, Moment.BEFORE, "ValueError"),
        (Check.ISINSTANCE, Moment.AFTER, "initialised"),
    ],
)
def test_apply_finds_no_linear_layer_too_early(check, moment, actual, seed):
    report = answer(InitialiseNet(check=check, moment=moment, seed=seed))

    assert report.actual == actual
    torch.manual_seed(seed)
    net = lazy_net()
    net(torch.ones(2, 20))
    assert report.default_stds == tuple(net[i].weight.std().item() for i in (0, 2))
    if actual == "untouched":
        assert report.stds == report.default_stds
    if actual == "initialised":
        assert all(abs(each - 0.01) < 0.002 for each in report.stds)


# Z4


@pytest.mark.parametrize(("width", "second"), [(20, 21), (20, 20), (1, 256)])
@pytest.mark.parametrize("meeting", Meeting)
def test_a_second_width_does_not_fit(width, second, meeting):
    report = answer(FeedAgain(meeting=meeting, width=width, second=second))

    assert report.outcome.ok == (width == second)
    assert report.shape == (256 if meeting is Meeting.SECOND_BATCH else second, width)
    if not report.outcome.ok:
        assert f"(2x{second} and {width}x{report.shape[0]})" in report.outcome.message


def test_the_lazy_layers_are_those_of_torch():
    names = answer(ListLazyLayers()).names

    assert set(names) == {name for name in nn.modules.__all__ if name.startswith("Lazy")}
    every = {each.name: each for each in answer(FeedLazyLayer()).every}
    assert set(every) == set(names)
    for name, kind in every.items():
        assert kind.becomes == name.removeprefix("Lazy")
        assert (kind.dimension, kind.value) == (1, 3)  # of (2, 3, …)


@pytest.mark.parametrize(
    ("layer", "dimensions", "weight", "decided", "dimension"),
    [
        ("LazyLinear", 4, (16, 6), (1,), 3),
        ("LazyLinear", 1, (16, 2), (1,), 0),
        ("LazyConv2d", 4, (16, 3, 3, 3), (1,), 1),
        ("LazyConv2d", 3, (16, 2, 3, 3), (1,), 0),  # no batch dimension
        ("LazyConvTranspose1d", 3, (3, 16, 3), (0,), 1),
        ("LazyBatchNorm1d", 2, (3,), (0,), 1),
    ],
)
def test_which_size_of_the_batch_decides(layer, dimensions, weight, decided, dimension):
    report = answer(FeedLazyLayer(layer=layer, dimensions=dimensions))

    first = report.kind.tensors[0]
    assert (first.name, first.shape, first.decided) == ("weight", weight, decided)
    assert report.kind.dimension == dimension


def test_one_layer_looks_first_and_another_decides_first():
    looked = answer(FeedLazyLayer(layer="LazyConv2d", dimensions=2))
    decided = answer(FeedLazyLayer(layer="LazyBatchNorm1d", dimensions=4))

    assert (looked.why, looked.is_shaped) == ("wrong-dimensions", False)
    assert (decided.why, decided.kind.value) == ("failed-but-shaped", 3)
    assert decided.outcome.message == "expected 2D or 3D input (got 4D input)"


@pytest.mark.parametrize("layer", ["LazyNothing", "Linear", "lazy", "Lazy; import os", 3])
def test_what_is_no_lazy_layer_is_refused(layer):
    with pytest.raises(InvalidSettingError):
        answer(FeedLazyLayer(layer=layer))


# One seed


def two_nets(recipe):
    """Both networks from seed 0, in plain torch: the weights with sizes, and those found later."""
    found = []
    for linear in (nn.Linear, lambda _, outputs: nn.LazyLinear(outputs)):
        batch = torch.ones(2, 20)
        first = nn.Linear if recipe is Recipe.LAST else linear
        last = nn.Linear if recipe is Recipe.FIRST else linear
        torch.manual_seed(0)
        if recipe is Recipe.BACKWARDS:
            output = last(256, 10)
            hidden = first(20, 256)
        else:
            hidden, output = first(20, 256), last(256, 10)
        between = [nn.Dropout(0.5)] if recipe is Recipe.DROPOUT else []
        net = nn.Sequential(hidden, nn.ReLU(), *between, output)
        if recipe is Recipe.BATCH:
            batch = torch.randn(2, 20)
        net(batch)
        found.append([hidden.weight, hidden.bias, output.weight, output.bias])
    return found


@pytest.mark.parametrize(
    ("recipe", "actual"),
    [
        (Recipe.ALL, "all_equal"),
        (Recipe.FIRST, "none_equal"),
        (Recipe.LAST, "all_equal"),
        (Recipe.BATCH, "none_equal"),
        (Recipe.DROPOUT, "some_equal"),
        (Recipe.BACKWARDS, "none_equal"),
    ],
)
def test_weights_agree_where_the_order_of_drawing_does(recipe, actual):
    report = answer(CompareSeeds(recipe=recipe))

    eager, lazy = two_nets(recipe)
    assert [each.is_equal for each in report.compared] == list(map(torch.equal, eager, lazy))
    assert report.actual == actual
    assert report.is_same_order == (recipe in {Recipe.ALL, Recipe.LAST})


def test_who_draws_when_is_written_down():
    report = answer(CompareSeeds(recipe=Recipe.DROPOUT))

    told = [(each.what, each.numbers, each.in_forward) for each in report.eager]
    sizes = [("0.weight", 5120), ("0.bias", 256), ("3.weight", 2560), ("3.bias", 10)]
    assert told == [*((*each, False) for each in sizes), ("bernoulli", 512, True)]
    lazy = [(each.what, each.numbers) for each in report.lazy]
    assert lazy == [*sizes[:2], ("bernoulli", 512), *sizes[2:]]
    assert all(each.in_forward for each in report.lazy)


@pytest.mark.parametrize("name", STUDENTS)
def test_any_network_can_be_compared(name):
    for recipe in recipes_for(STUDENTS[name]):
        report = answer(CompareSeeds(network=STUDENTS[name], recipe=recipe))
        assert report.outcome.ok
        if report.is_same_order:
            assert report.actual == "all_equal"


def test_some_recipes_are_for_the_own_network_alone():
    assert set(recipes_for(OWN)) == set(Recipe)
    with pytest.raises(InvalidSettingError):
        CompareSeeds(network=STUDENTS["small_cnn"], recipe=Recipe.DROPOUT)


def test_a_predicate_tells_near_misses_from_success():
    assert not challenges.answers_for_nothing(answer(AskTooEarly(question=Question.DTYPE)))
    assert not challenges.is_shaped_by_failure(answer(LazyTimeline(device="cpu")))
    muon = TrainFromBefore(optimizer=Optimizer.MUON, moment=Moment.BEFORE)
    assert not challenges.is_only_too_early(answer(muon))
    assert not challenges.works_in_both_places(answer(FeedAgain(second=20)))
