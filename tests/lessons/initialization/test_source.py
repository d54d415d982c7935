"""The programs that the lesson shows are executed, and agree with its reports."""

import pytest

from playground.lessons.initialization import source
from playground.lessons.initialization.experiment import (
    apply_per_layer,
    apply_to_all,
    count_fans,
    follow_own_rule,
    initialize,
    read_default,
)
from playground.lessons.initialization.records import (
    ApplyPerLayer,
    ApplyToAll,
    CountFans,
    FollowOwnRule,
    Initialize,
    Layout,
    Mode,
    Reach,
    ReadDefault,
    Recipe,
    Spelling,
    Way,
)
from playground.machines import Machine
from playground.modules.spec.starts import CHIMERA, SMALL_CNN, TRANSFORMER
from tests.programs import run_program
from tests.turns import in_turn

MACHINE = Machine()


@pytest.mark.parametrize(
    "settings",
    [
        ReadDefault(),
        ReadDefault(parameter="2.bias", seed=5),
        ReadDefault(network=TRANSFORMER.to_json(), parameter="encoder1.linear2.weight"),
    ],
)
def test_the_program_of_the_default_agrees(settings: ReadDefault) -> None:
    sample = read_default(settings).sample

    result, outcome = run_program(source.read_default(settings), MACHINE)

    assert outcome.ok
    assert sample is not None
    assert result == (sample.least, sample.most, pytest.approx(sample.mean, abs=1e-7))


@pytest.mark.parametrize(
    "settings",
    [
        Initialize(),
        Initialize(initializer="normal_", arguments={"std": 0.3}, shape=(3, 4, 5), seed=9),
        Initialize(layer=CHIMERA, parameter="0.linear.weight", initializer="orthogonal_"),
        Initialize(initializer="kaiming_normal_", arguments={"mode": "fan_out", "a": 0.2}),
        Initialize(initializer="zeros"),
        Initialize(parameter="bias"),
        Initialize(initializer="uniform_", arguments={"a": 2.0, "b": 1.0}),
    ],
)
def test_the_program_of_the_microscope_agrees(settings: Initialize) -> None:
    report = initialize(settings)

    result, outcome = run_program(source.initialize(settings), MACHINE)

    assert outcome == report.outcome
    if outcome.ok:
        assert result == (pytest.approx(report.mean, abs=1e-7), list(report.counts))


@in_turn("layout", Layout)
@pytest.mark.parametrize("mode", Mode)
def test_the_program_of_the_fans_agrees(layout: Layout, mode: Mode) -> None:
    settings = CountFans(layout=layout, mode=mode, seed=2)

    result, outcome = run_program(source.count_fans(settings), MACHINE)

    assert outcome.ok
    assert result == pytest.approx(count_fans(settings).signal)


@pytest.mark.parametrize(
    "settings",
    [
        ApplyToAll(),
        ApplyToAll(recipe=Recipe.CONSTANT, seed=4),
        ApplyToAll(recipe=Recipe.XAVIER, reach=Reach.MATRICES, network=SMALL_CNN.to_json()),
        ApplyToAll(
            recipe=Recipe.BY_HAND,
            initializer="trunc_normal_",
            arguments={"std": 0.02, "a": -0.04, "b": 0.04},
        ),
        ApplyToAll(recipe=Recipe.BY_HAND, initializer="dirac_"),
    ],
)
def test_the_program_of_one_rule_agrees(
    settings: ApplyToAll, capsys: pytest.CaptureFixture[str]
) -> None:
    report = apply_to_all(settings)

    result, outcome = run_program(source.apply_to_all(settings), MACHINE)

    assert outcome == report.outcome
    assert tuple(capsys.readouterr().out.split()) == report.visited
    if outcome.ok:
        expected = [(row.path, pytest.approx(row.after.mean, abs=1e-7)) for row in report.rows]
        assert result == expected


@pytest.mark.parametrize(
    "settings",
    [
        ApplyPerLayer(),
        ApplyPerLayer(way=Way.TYPE, network=SMALL_CNN.to_json(), type_name="Conv2d", value=-1.5),
        ApplyPerLayer(way=Way.NAME, pattern="0.*", value=2.0),
    ],
)
def test_the_program_of_many_rules_agrees(settings: ApplyPerLayer) -> None:
    report = apply_per_layer(settings)

    result, outcome = run_program(source.apply_per_layer(settings), MACHINE)

    assert outcome.ok
    assert result == [(row.path, pytest.approx(row.after.mean, abs=1e-7)) for row in report.rows]


@pytest.mark.parametrize("spelling", Spelling)
def test_the_program_of_the_own_rule_agrees(spelling: Spelling) -> None:
    settings = FollowOwnRule(spelling=spelling, seed=3)
    report = follow_own_rule(settings)

    result, outcome = run_program(source.follow_own_rule(settings), MACHINE)

    assert outcome == report.outcome
    if outcome.ok:
        assert result == pytest.approx(report.zero_fraction)


def test_the_line_that_mends_the_own_rule_is_in_the_program_that_works() -> None:
    gone, come = source.mend_own_rule(FollowOwnRule(spelling=Spelling.PLAIN))

    assert gone in source.follow_own_rule(FollowOwnRule(spelling=Spelling.PLAIN))
    assert come in source.follow_own_rule(FollowOwnRule(spelling=Spelling.DATA))
