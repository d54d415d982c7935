"""Every program that a student is shown really runs, and answers what the report says."""

import pytest

from playground.lessons.parameters import source
from playground.lessons.parameters.records import (
    NORMED,
    PLAIN,
    RGNET,
    FeedNetwork,
    FreezeByName,
    Freezing,
    Given,
    Keeping,
    KeepState,
    ListParameters,
    Moment,
    NameParameters,
    OpenLayer,
    ReachParameter,
    Setting,
    SetValue,
    Way,
    parts_of,
)
from playground.machines import Machine
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared
from playground.modules.spec.network import InputKind
from tests.answers import answer_once as answer
from tests.programs import run_program

TIED = Network(
    Block(
        [
            Layer.of("Linear", in_features=4, out_features=4),
            Block([Layer.of("LayerNorm", normalized_shape=4), Layer("ReLU")], name="inner part"),
            Shared("0"),
        ]
    ),
    InputSpec((3, 4)),
)
CONVOLUTION = Network(
    Block(
        [
            Layer.of("LazyConv2d", out_channels=2, kernel_size=3),
            Layer("Flatten"),
            Layer.of("LazyLinear", out_features=3),
        ]
    ),
    InputSpec((2, 1, 6, 6)),
)
TOKENS = Network(
    Block([Layer.of("Embedding", num_embeddings=10, embedding_dim=3), Layer("Flatten")]),
    InputSpec((2, 5), InputKind.TOKENS, below=10),
)
WRONG = Network(Block([Layer.of("Linear", in_features=4, out_features=2)]), InputSpec((2, 5)))
CUSTOM = Network(Block([Layer("NestMLP"), Layer("Tanh")]), InputSpec((2, 20)))
NETWORKS = (PLAIN, RGNET, TIED, CONVOLUTION, TOKENS, WRONG, CUSTOM)
each_network = pytest.mark.parametrize(
    "network", NETWORKS, ids=["plain", "rgnet", "tied", "convolution", "tokens", "wrong", "custom"]
)


def run_both(settings, program):
    """The report of the experiment, and what the shown program bound to ``result``, or refused."""
    report = answer(settings)
    result, outcome = run_program(program, Machine())
    assert outcome == report.outcome  # torch's own words in both, or success in both
    assert "playground" not in program
    return report, result


def leaves_of(network):
    branches = answer(ListParameters(network=network.to_json())).branches
    return [leaf for branch in branches for leaf in branch.leaves]


def grid_of(values):
    """A nested list as a report keeps it, as far as it is small."""
    if not isinstance(values, list):
        return ((values,),)
    if not isinstance(values[0], list):
        return (tuple(values),)

    def flat(row):
        return [x for each in row for x in flat(each)] if isinstance(row, list) else [row]

    return tuple(tuple(flat(row)) for row in values)


@pytest.mark.parametrize("moment", Moment)
@each_network
def test_open_layer(network, moment):
    path = leaves_of(network)[-1].name
    settings = OpenLayer(network=network.to_json(), path=path, moment=moment)
    report, result = run_both(settings, source.open_layer(settings))

    if report.outcome.ok:
        assert (None if result is None else grid_of(result)) == (
            report.gradient and report.gradient.grid
        )


@each_network
def test_name_parameters(network):
    for part in parts_of(network):
        settings = NameParameters(network=network.to_json(), part=part)
        if network is WRONG:
            continue  # the program stops at the call; nothing is compared
        report, result = run_both(settings, source.name_parameters(settings))

        assert tuple(result) == report.listed


@pytest.mark.parametrize("keeping", Keeping)
@pytest.mark.parametrize("network", [NORMED, RGNET, TIED], ids=["normed", "rgnet", "tied"])
def test_keep_state(network, keeping):
    settings = KeepState(network=network.to_json(), keeping=keeping)
    report, result = run_both(settings, source.keep_state(settings))

    assert result == [each.name for each in report.tensors if each.is_saved]


@each_network
def test_reach_parameter(network):
    for leaf in leaves_of(network)[::5]:
        settings = ReachParameter(network=network.to_json(), path=leaf.name)
        report, result = run_both(settings, source.reach_parameter(settings))

        if report.outcome.ok:
            shape, before, after = result
            assert shape == report.shape
            assert before is report.gradient_before is None
            assert grid_of(after)[0][:3] == report.gradient.grid[0][:3]


@pytest.mark.parametrize(("examples", "scale", "seed"), [(10, 1, 1), (3, 1000, 0)])
@each_network
def test_feed_network(network, examples, scale, seed):
    settings = FeedNetwork(network=network.to_json(), examples=examples, scale=scale, seed=seed)
    report, result = run_both(settings, source.feed_network(settings))

    if report.outcome.ok:
        assert result == pytest.approx(report.stops[-1].spread, rel=1e-3)


@pytest.mark.parametrize("given", Given)
@pytest.mark.parametrize("freezing", Freezing)
@pytest.mark.parametrize("pattern", ["*", "*weight"])
@pytest.mark.parametrize("network", [RGNET, TIED, WRONG], ids=["rgnet", "tied", "wrong"])
def test_freeze_by_name(network, pattern, freezing, given):
    settings = FreezeByName(
        network=network.to_json(), pattern=pattern, freezing=freezing, given=given
    )
    report, result = run_both(settings, source.freeze_by_name(settings))

    if report.outcome.ok:
        changed = [row.name for row in report.rows if row.has_changed]
        assert result == (report.numbers, report.trainable, report.size_bytes, changed)


@pytest.mark.parametrize("setting", Setting)
@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(
    "network", [RGNET, TIED, CONVOLUTION, WRONG], ids=["rgnet", "tied", "convolution", "wrong"]
)
def test_set_value(network, way, setting):
    leaf = leaves_of(network)[0]
    settings = SetValue(
        network=network.to_json(),
        path=leaf.name,
        rank=min(len(leaf.shape), 2),
        way=way,
        setting=setting,
    )
    report, result = run_both(settings, source.set_value(settings))

    if report.outcome.ok:
        values, _ = result
        assert grid_of(values)[0][:3] == report.after.grid[0][:3]


def test_the_mended_line_works():
    for way in (Way.ITEM, Way.ADD):
        settings = SetValue(way=way)
        report = answer(settings)
        gone, come = source.mend_setting(settings)
        program = source.set_value(settings)
        assert f"\n{gone}\n" in program
        _, outcome = run_program(program.replace(f"\n{gone}\n", f"\n{come}\n"), Machine())

        assert report.is_fixed
        assert outcome.ok
