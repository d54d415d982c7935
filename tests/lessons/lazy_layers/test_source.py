"""Every program that a student is shown really runs, and answers what the report says."""

import re

import pytest

from playground.lessons.lazy_layers import source
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
    Meeting,
    Moment,
    Optimizer,
    Question,
    Recipe,
    TrainFromBefore,
    TryTooEarly,
    Written,
    recipes_for,
    without_addresses,
)
from playground.machines import Machine
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.starts import STARTS
from tests.answers import answer_once as report_of
from tests.programs import run_program
from tests.turns import in_turn

SHARED = Network(
    Block(
        [
            Layer.of("Linear", in_features=8, out_features=8),
            Layer("ReLU"),
            Shared("0"),
            Layer("Linear", {"in_features": 8, "out_features": 8}, times=2),
        ]
    ),
    InputSpec((2, 8)),
).to_json()
NAMES = ["residual", "transformer", "chimera", "autoencoder"]
NETWORKS = [*(STARTS[name].to_json() for name in NAMES), SHARED, OWN]
each_network = pytest.mark.parametrize("network", NETWORKS, ids=[*NAMES, "shared", "own"])


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = report_of(settings)
    result, outcome = run_program(program, getattr(settings, "machine", Machine()))
    assert outcome.error_type == report.outcome.error_type, outcome.message
    assert without_addresses(outcome.message) == report.outcome.message
    assert "playground" not in program
    return report, result


@pytest.mark.parametrize("written", Written)
@pytest.mark.parametrize("question", Question)
def test_ask_too_early(written, question):
    settings = AskTooEarly(written=written, question=question)
    report, result = run_both(settings, source.ask_too_early(settings))

    if report.outcome.ok:
        assert result == (report.printed, report.shape)


@each_network
@pytest.mark.parametrize(
    ("batch", "device"), [(Batch.FITTING, "cuda:1"), (Batch.WRONG_TYPE, "cpu")]
)
def test_lazy_timeline(network, batch, device):
    settings = LazyTimeline(network=network, batch=batch, device=device)
    report, result = run_both(settings, source.lazy_timeline(settings))

    if report.outcome.ok:
        kinds = [[each.type_name for each in stage.layers] for stage in report.stages]
        assert result == kinds


@in_turn("action", Action)
def test_try_too_early(action):
    settings = TryTooEarly(action=action)
    report, result = run_both(settings, source.try_too_early(settings))

    if report.outcome.ok:
        assert result == 7946


@each_network
@pytest.mark.parametrize("action", [Action.INIT_XAVIER, Action.INTO_EAGER, Action.FROM_EAGER])
def test_try_too_early_on_any_network(network, action):
    settings = TryTooEarly(network=network, action=action)
    report, result = run_both(settings, source.try_too_early(settings))

    if report.outcome.ok:
        counted = report_of(TryTooEarly(network=network)).chosen.after.text
        assert str(result) == counted


@pytest.mark.parametrize("moment", Moment)
@pytest.mark.parametrize("optimizer", Optimizer)
def test_train_from_before(optimizer, moment):
    settings = TrainFromBefore(optimizer=optimizer, moment=moment)
    report, result = run_both(settings, source.train_from_before(settings))

    if report.outcome.ok:
        assert result == report.chosen.changed


@pytest.mark.parametrize("moment", Moment)
@pytest.mark.parametrize("check", Check)
def test_initialise_net(check, moment):
    settings = InitialiseNet(check=check, moment=moment, seed=2)
    report, result = run_both(settings, source.initialise_net(settings))

    if report.outcome.ok:
        assert tuple(result) == report.stds


@pytest.mark.parametrize(("width", "second"), [(20, 21), (5, 5)])
@pytest.mark.parametrize("meeting", Meeting)
def test_feed_again(meeting, width, second):
    settings = FeedAgain(meeting=meeting, width=width, second=second, rows=3)
    report, result = run_both(settings, source.feed_again(settings))

    if report.outcome.ok:
        assert result == report.output_shape


@pytest.mark.parametrize("dimensions", [1, 2, 4])
@pytest.mark.parametrize("layer", ["LazyLinear", "LazyConv2d", "LazyBatchNorm1d"])
def test_feed_lazy_layer(layer, dimensions):
    settings = FeedLazyLayer(layer=layer, dimensions=dimensions)
    program = source.feed_lazy_layer(settings, report_of(settings))
    report, result = run_both(settings, program)

    if report.outcome.ok:
        shapes = {each.name: each.shape for each in report.kind.tensors}
        assert result == {name: shapes[name] for name in result}
        assert result


@each_network
def test_compare_seeds(network):
    for recipe in recipes_for(network):
        settings = CompareSeeds(network=network, recipe=recipe, seed=3)
        report, result = run_both(settings, source.compare_seeds(settings))

        for each in report.compared:
            assert result[each.name] == each.is_equal


def test_the_programs_name_no_foreign_recipe():
    text = source.compare_seeds(CompareSeeds(recipe=Recipe.BACKWARDS))

    assert re.findall(r"^(\w+) = nn\.(\w+)", text, re.MULTILINE) == [
        ("output", "Linear"),
        ("hidden", "Linear"),
        ("net", "Sequential"),
        ("output", "LazyLinear"),
        ("hidden", "LazyLinear"),
        ("net", "Sequential"),
    ]
