"""Signals and units in depth, against plain loops and closed forms that are written here."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from playground import catalog
from playground.errors import InvalidSettingError
from playground.lessons.initialization import challenges, figures, source
from playground.lessons.initialization.experiment import signal_through_depth, symmetric_units
from playground.lessons.initialization.records import (
    Activation,
    Scheme,
    SignalThroughDepth,
    Start,
    SymmetricUnits,
)
from playground.machines import Machine
from playground.palette import DARK, LIGHT, Words
from tests.programs import run_program
from tests.turns import in_turn

MACHINE = Machine()
WORDS = Words({name: text.en for name, text in catalog.lesson("initialization").labels.items()})
FUNCTIONS = {
    "identity": lambda z: z + 0,
    "relu": torch.relu,
    "leaky_relu": nn.functional.leaky_relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu": nn.functional.gelu,
}
WIDTH = 48


def by_hand(settings: SignalThroughDepth) -> tuple[list[float], list[float]]:
    """The same signal with matrices alone: no layers, no autograd graph over the whole."""
    width, depth = settings.width, settings.depth
    torch.manual_seed(settings.seed)
    h = torch.randn(64, width)
    pairs = []
    for _ in range(depth):
        layer = nn.Linear(width, width)
        pairs.append((layer.weight.detach(), layer.bias.detach()))
    if settings.initializer != "default":
        given = {
            "normal_": {"std": settings.std},
            "constant_": {"val": settings.value},
            "xavier_uniform_": {"gain": settings.gain},
            "xavier_normal_": {"gain": settings.gain},
            "orthogonal_": {"gain": settings.gain},
        }.get(settings.initializer, {})
        for weight, bias in pairs:
            getattr(nn.init, settings.initializer)(weight, **given)
            bias.zero_()
    function = FUNCTIONS[settings.activation]
    forward, slopes = [], []
    for weight, bias in pairs:
        z = (h @ weight.T + bias).requires_grad_()
        h = function(z)
        (slope,) = torch.autograd.grad(h.sum(), z)
        h = h.detach()
        forward.append(h.std().item())
        slopes.append(slope)
    gradient = torch.randn(64, width)
    back = [gradient.std().item()]
    for (weight, _), slope in zip(pairs[:0:-1], slopes[:0:-1], strict=True):
        gradient = (gradient * slope) @ weight
        back.append(gradient.std().item())
    return forward, back[::-1]


@in_turn("initializer", Scheme)
@pytest.mark.parametrize("activation", Activation)
def test_the_signal_agrees_with_a_loop_of_its_own(
    initializer: Scheme, activation: Activation
) -> None:
    settings = SignalThroughDepth(
        depth=7, width=WIDTH, initializer=initializer, activation=activation, seed=5, std=0.1
    )
    report = signal_through_depth(settings)
    forward, back = by_hand(settings)

    assert report.activation_stds == pytest.approx(forward, rel=1e-3)
    assert report.gradient_stds == pytest.approx(back, rel=1e-3)
    assert len(report.weight_gradient_stds) == 7


# initialiser, its argument, σ of the weights, σ of the biases
SPREADS: list[tuple[Scheme, dict[str, Any], float, float]] = [
    (Scheme.DEFAULT, {}, 1 / math.sqrt(3 * WIDTH), 1 / math.sqrt(3 * WIDTH)),
    (Scheme.NORMAL, {"std": 0.2}, 0.2, 0.0),
    (Scheme.XAVIER_UNIFORM, {"gain": 1.5}, 1.5 / math.sqrt(WIDTH), 0.0),
    (Scheme.XAVIER_NORMAL, {}, 1 / math.sqrt(WIDTH), 0.0),
    (Scheme.KAIMING_UNIFORM, {}, math.sqrt(2 / WIDTH), 0.0),
    (Scheme.KAIMING_NORMAL, {}, math.sqrt(2 / WIDTH), 0.0),
    (Scheme.ORTHOGONAL, {"gain": 1.25}, 1.25 / math.sqrt(WIDTH), 0.0),
]


@in_turn(("initializer", "given", "spread", "bias"), SPREADS)
@pytest.mark.parametrize(
    ("activation", "slope"),
    [(Activation.IDENTITY, 1.0), (Activation.RELU, 0.0), (Activation.LEAKY_RELU, 0.01)],
)
def test_the_recursion_is_the_closed_form(
    initializer: Scheme,
    given: dict[str, Any],
    spread: float,
    bias: float,
    activation: Activation,
    slope: float,
) -> None:
    theory = signal_through_depth(
        SignalThroughDepth(
            depth=3, width=WIDTH, initializer=initializer, activation=activation, **given
        )
    ).theory
    half = (1 + slope**2) / 2
    squares = [1.0]
    for _ in range(3):
        squares.append(half * (WIDTH * spread**2 * squares[-1] + bias**2))
    mean = (1 - slope) / math.sqrt(2 * math.pi)  # of the function of a standard normal number
    forward = [math.sqrt(square / half * (half - mean**2)) for square in squares[1:]]

    assert theory is not None
    assert theory.activation_stds(3) == pytest.approx(forward)
    assert theory.factor == pytest.approx(math.sqrt(WIDTH * spread**2 * half))
    assert theory.gradient_stds(3) == pytest.approx([theory.factor**2, theory.factor, 1])


@pytest.mark.parametrize(
    ("initializer", "activation", "factor"),
    [
        (Scheme.KAIMING_NORMAL, Activation.RELU, 1.0),
        (Scheme.XAVIER_NORMAL, Activation.IDENTITY, 1.0),
        (Scheme.XAVIER_UNIFORM, Activation.RELU, math.sqrt(1 / 2)),
        (Scheme.NORMAL, Activation.RELU, 0.01 * math.sqrt(256 / 2)),
        (Scheme.NORMAL, Activation.IDENTITY, 0.01 * 16),
    ],
)
def test_wide_layers_follow_the_recursion_on_average(
    initializer: Scheme, activation: Activation, factor: float
) -> None:
    reports = [
        signal_through_depth(
            SignalThroughDepth(depth=6, initializer=initializer, activation=activation, seed=seed)
        )
        for seed in range(10)
    ]
    theory = reports[0].theory

    def mean_of(stds: list[tuple[float, ...]]) -> list[float]:
        return [math.sqrt(sum(std**2 for std in layer) / 10) for layer in zip(*stds, strict=True)]

    forward = mean_of([report.activation_stds for report in reports])
    back = mean_of([report.gradient_stds for report in reports])
    assert theory is not None
    assert theory.factor == pytest.approx(factor)
    assert forward == pytest.approx(theory.activation_stds(6), rel=0.15)
    assert back == pytest.approx(theory.gradient_stds(6), rel=0.15)


@pytest.mark.parametrize(
    ("settings", "actual", "why", "has_theory"),
    [
        (SignalThroughDepth(), "fades", "depth-relu", True),
        (SignalThroughDepth(initializer=Scheme.KAIMING_UNIFORM), "keeps", "depth-relu", True),
        (
            SignalThroughDepth(std=0.2, activation=Activation.IDENTITY),
            "grows",
            "depth-identity",
            True,
        ),
        (SignalThroughDepth(initializer=Scheme.DEFAULT), "fades", "depth-default", True),
        (SignalThroughDepth(activation=Activation.TANH), "fades", "depth-tanh", False),
        (SignalThroughDepth(activation=Activation.SIGMOID), "keeps", "depth-sigmoid", False),
        (
            SignalThroughDepth(activation=Activation.SIGMOID, std=1.0),
            "keeps",
            "depth-sigmoid-large",
            False,
        ),
        (SignalThroughDepth(activation=Activation.GELU), "fades", "depth-no-theory", False),
        (SignalThroughDepth(initializer=Scheme.CONSTANT), "grows", "depth-constant", False),
        (SignalThroughDepth(std=1.0, depth=50), "grows", "depth-overflow", True),
        (SignalThroughDepth(std=0.0, depth=2), "fades", "depth-relu", True),
    ],
)
def test_what_happens_has_its_reason(
    settings: SignalThroughDepth, actual: str, why: str, has_theory: bool
) -> None:
    report = signal_through_depth(settings)

    assert (report.actual, report.why, report.theory is not None) == (actual, why, has_theory)
    assert report == signal_through_depth(settings)


def test_sigmoids_std_is_between_units_and_not_between_examples() -> None:
    settings = SignalThroughDepth(
        depth=20, initializer=Scheme.XAVIER_NORMAL, activation=Activation.SIGMOID
    )
    torch.manual_seed(0)
    h = torch.randn(64, 256)
    layers = [nn.Linear(256, 256) for _ in range(20)]
    for layer in layers:
        nn.init.xavier_normal_(layer.weight)
        nn.init.zeros_(layer.bias)
        h = torch.sigmoid(layer(h)).detach()

    assert signal_through_depth(settings).activation_stds[-1] == pytest.approx(
        h.std().item(), rel=1e-3
    )
    assert h.std(dim=0).mean() < 1e-3 * h.std()


def test_the_bands_hold_half_and_nine_tenths_of_what_is_not_zero() -> None:
    report = signal_through_depth(SignalThroughDepth(depth=3, initializer=Scheme.KAIMING_NORMAL))
    _, quarter, middle, three_quarters, _ = report.gradients[-1].quantiles  # standard normal

    assert (quarter, middle, three_quarters) == pytest.approx((0.319, 0.674, 1.150), abs=0.03)
    assert report.gradients[-1].zero_fraction == 0
    assert report.activations[0].zero_fraction == pytest.approx(0.5, abs=0.05)


def test_beyond_float32_there_are_no_numbers_and_below_it_only_zeros() -> None:
    large = signal_through_depth(SignalThroughDepth(std=1.0, depth=50))
    small = signal_through_depth(SignalThroughDepth(std=0.001, depth=50))

    assert large.overflow is not None
    assert math.isinf(large.activation_stds[-1])
    assert math.isfinite(large.activation_stds[large.overflow - 2])
    assert small.activation_stds[-1] == 0
    names = [trace.name for trace in figures.signals(small, LIGHT, WORDS).data]
    assert "0" in names
    assert "> 3.4e+38" in [trace.name for trace in figures.signals(large, DARK, WORDS).data]


def test_equal_factors_are_equal_ways_in_the_picture() -> None:
    report = signal_through_depth(
        SignalThroughDepth(
            initializer=Scheme.ORTHOGONAL, activation=Activation.IDENTITY, gain=2.0, depth=9
        )
    )
    traces = figures.signals(report, LIGHT, WORDS).data
    dots, *_ = (trace for trace in traces if trace.name == "std")
    theory, *_ = (trace for trace in traces if trace.name == "theory")

    assert dots.y == pytest.approx(theory.y, abs=2)
    ways = [after - before for before, after in zip(dots.y, dots.y[1:], strict=False)]
    assert ways == pytest.approx([ways[0]] * 8, abs=0.2)
    assert [trace.name for trace in traces].count("band") == 4


def test_no_line_is_drawn_where_theory_has_none() -> None:
    report = signal_through_depth(SignalThroughDepth(activation=Activation.TANH, depth=2))

    assert "theory" not in {trace.name for trace in figures.signals(report, LIGHT, WORDS).data}


@pytest.mark.parametrize("initializer", Scheme)
def test_the_program_of_the_signal_agrees(initializer: Scheme) -> None:
    settings = SignalThroughDepth(depth=4, width=20, initializer=initializer, seed=2)
    report = signal_through_depth(settings)

    result, outcome = run_program(source.signal_through_depth(settings), MACHINE)

    assert outcome.ok
    expected = zip(report.activation_stds, report.gradient_stds, strict=True)
    assert result == [pytest.approx(pair) for pair in expected]


def units_by_hand(settings: SymmetricUnits) -> list[int]:
    """The same training, with the gradients written out."""
    torch.manual_seed(settings.seed)
    inputs = torch.randn(64, 4)
    target = inputs[:, :1].abs()
    first, last = nn.Linear(4, settings.units), nn.Linear(settings.units, 1)
    w, b = first.weight.detach().double(), first.bias.detach().double()
    v, c = last.weight.detach().double(), last.bias.detach().double()
    if settings.start != "random":
        start = 0.0 if settings.start == "zeros" else settings.value
        w, b, v, c = (torch.full_like(w, start), b * 0, torch.full_like(v, start), c * 0)
    if settings.start == "one_changed":
        w[0, 0] += 0.1
    x, y = inputs.double(), target.double()
    counts = []
    for _ in range(settings.steps + 1):
        rows = torch.cat([w, b[:, None], v.T], dim=1)
        near = torch.cdist(rows, rows) < 1e-4
        counts.append(int((near.int().argmax(dim=1) == torch.arange(settings.units)).sum()))
        z = x @ w.T + b
        h = z.clamp(min=0)
        delta = 2 * (h @ v.T + c - y) / 64
        back = (delta @ v) * (z > 0)
        w, b = w - 0.1 * back.T @ x, b - 0.1 * back.sum(dim=0)
        v, c = v - 0.1 * delta.T @ h, c - 0.1 * delta.sum(dim=0)
    return counts


@pytest.mark.parametrize("start", Start)
@pytest.mark.parametrize("units", [2, 5, 16])
def test_units_are_counted_as_in_a_training_by_hand(start: Start, units: int) -> None:
    settings = SymmetricUnits(start=start, units=units, seed=1)
    report = symmetric_units(settings)

    assert [moment.distinct for moment in report.moments] == units_by_hand(settings)


@pytest.mark.parametrize(
    ("settings", "distinct", "why"),
    [
        (SymmetricUnits(), 1, "symmetry-kept"),
        (SymmetricUnits(value=-0.3), 1, "symmetry-kept"),
        (SymmetricUnits(steps=0), 1, "symmetry-before"),
        (SymmetricUnits(dropout=True), 8, "symmetry-dropout"),
        (SymmetricUnits(start=Start.ZEROS), 1, "symmetry-zeros"),
        (SymmetricUnits(start=Start.ZEROS, dropout=True), 1, "symmetry-zeros"),
        (SymmetricUnits(value=0.0, dropout=True), 1, "symmetry-zeros"),
        (SymmetricUnits(start=Start.ONE_CHANGED), 2, "symmetry-one"),
        (SymmetricUnits(start=Start.ONE_CHANGED, dropout=True), 8, "symmetry-dropout"),
        (SymmetricUnits(start=Start.RANDOM, units=5), 5, "symmetry-random"),
    ],
)
def test_only_chance_tells_equal_units_apart(
    settings: SymmetricUnits, distinct: int, why: str
) -> None:
    report = symmetric_units(settings)

    result, outcome = run_program(source.symmetric_units(settings), MACHINE)

    assert (report.distinct, report.why, report.actual) == (distinct, why, str(distinct))
    assert report.actual in report.answers
    assert outcome.ok
    assert result == [moment.distinct for moment in report.moments]


def test_equal_units_share_a_line() -> None:
    kept = symmetric_units(SymmetricUnits())
    one = symmetric_units(SymmetricUnits(start=Start.ONE_CHANGED))
    alone = symmetric_units(SymmetricUnits(start=Start.RANDOM))

    def lines(report: object) -> list[str]:
        traces = figures.units(report, LIGHT, WORDS).data  # type: ignore[arg-type]
        return [trace.name for trace in traces if trace.name != "distinct"]

    assert lines(kept) == ["8 of 8"]
    assert lines(one) == ["1 of 8", "7 of 8"]
    assert lines(alone) == ["1 of 8"] * 8


def test_random_units_can_do_what_equal_ones_cannot() -> None:
    kept, drawn = (
        symmetric_units(SymmetricUnits(start=start, steps=50))
        for start in (Start.CONSTANT, Start.RANDOM)
    )

    assert drawn.moments[-1].loss < kept.moments[-1].loss / 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("depth", 1), ("depth", 51), ("width", 513), ("std", math.nan), ("initializer", "zeros")],
)
def test_a_signal_out_of_range_is_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        SignalThroughDepth(**{field: value})  # type: ignore[arg-type]

    assert refused.value.field == field


@pytest.mark.parametrize(("field", "value"), [("units", 1), ("steps", 51), ("value", 0.6)])
def test_units_out_of_range_are_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        SymmetricUnits(**{field: value})  # type: ignore[arg-type]

    assert refused.value.field == field


def test_fifty_layers_are_kept_by_few() -> None:
    kept = {
        scheme
        for scheme in Scheme
        if challenges.keeps_fifty_layers(
            signal_through_depth(
                SignalThroughDepth(depth=50, initializer=scheme, gain=math.sqrt(2))
            )
        )
    }

    assert Scheme.ORTHOGONAL in kept
    assert not kept & {Scheme.DEFAULT, Scheme.NORMAL, Scheme.CONSTANT}


@pytest.mark.parametrize(
    ("settings", "is_met"),
    [
        (SymmetricUnits(dropout=True), True),
        (SymmetricUnits(start=Start.RANDOM), False),
        (SymmetricUnits(start=Start.ONE_CHANGED, units=2), False),
        (SymmetricUnits(dropout=True, units=2), False),
    ],
)
def test_the_symmetry_is_broken_by_chance_alone(settings: SymmetricUnits, is_met: bool) -> None:
    assert challenges.breaks_the_symmetry(symmetric_units(settings)) == is_met
