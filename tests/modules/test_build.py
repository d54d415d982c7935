from collections import OrderedDict

import pytest
import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.errors import InvalidSettingError
from playground.modules.build import build, measure
from playground.modules.build.assemble import assembled
from playground.modules.catalogue import layers
from playground.modules.custom import FixedHiddenMLP, NestMLP
from playground.modules.source import as_sequential
from playground.modules.spec import (
    Block,
    BlockKind,
    InputKind,
    InputSpec,
    InvalidSpecError,
    Layer,
    Shared,
)
from playground.modules.spec.presets import PRESETS
from tests.modules.trace_support import Calls

L = Layer.of
TOO_MANY = "spec_too_many_parameters"


def linear(inputs: object, outputs: int) -> Layer:
    return L("Linear", in_features=inputs, out_features=outputs)


def lstm(**more: int) -> Layer:
    return L("LSTM", input_size=1, hidden_size=1, **more)


def tied() -> nn.Module:
    shared = nn.Linear(4, 4)  # as the textbook does: first what is used twice
    return nn.Sequential(nn.Linear(4, 4), shared, nn.ReLU(), shared)


def with_first_output() -> nn.Module:
    return Calls(lambda self, x: self.out(self.lstm(x)[0]), lstm=nn.LSTM(4, 3), out=nn.Linear(3, 2))


# What a student would write, by hand.
BY_HAND = [
    (linear(4, 3), (2, 4), lambda: nn.Linear(4, 3)),
    (
        PRESETS["mlp"].block,
        (2, 20),
        lambda: nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)),
    ),
    (
        Block([Layer("Linear", {"in_features": 4, "out_features": 4}, times=3)]),
        (2, 4),
        lambda: nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)]),
    ),
    (
        Block([Layer("Linear", {"in_features": 4, "out_features": 2}, name="out"), L("ReLU")]),
        (2, 4),
        lambda: nn.Sequential(OrderedDict([("out", nn.Linear(4, 2)), ("1", nn.ReLU())])),
    ),
    (Block([linear(4, 4), linear(4, 4), L("ReLU"), Shared("1")]), (2, 4), tied),
    (
        Block([linear(4, 4), L("Tanh")], kind=BlockKind.RESIDUAL),
        (2, 4),
        lambda: Calls(
            lambda self, x: x + self.body(x), body=nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        ),
    ),
    (
        Block([linear(4, 2), linear(4, 3)], kind=BlockKind.CONCATENATE),
        (2, 4),
        lambda: Calls(
            lambda self, x: torch.cat([self.left(x), self.right(x)], dim=1),
            left=nn.Linear(4, 2),
            right=nn.Linear(4, 3),
        ),
    ),
    (
        Block([L("LazyLinear", out_features=3), L("ReLU"), linear(3, 2)]),
        (2, 4),
        lambda: nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.Linear(3, 2)),
    ),
    (
        Block([L("Conv2d", in_channels=1, out_channels=2, kernel_size=(3, 3), padding="same")]),
        (2, 1, 5, 5),
        lambda: nn.Sequential(nn.Conv2d(1, 2, kernel_size=(3, 3), padding="same")),
    ),
    (
        PRESETS["chimera"].block,
        (2, 20),
        lambda: nn.Sequential(NestMLP(), nn.Linear(16, 20), FixedHiddenMLP()),
    ),
    (
        L(
            "TransformerEncoder",
            encoder_layer=L("TransformerEncoderLayer", d_model=8, nhead=2, batch_first=True),
            num_layers=2,
        ),
        (2, 3, 8),
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 2),
    ),
    (
        Block([L("LSTM", input_size=4, hidden_size=3), L("Item"), linear(3, 2)]),
        (5, 2, 4),
        with_first_output,
    ),
]


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
@pytest.mark.parametrize(("spec", "shape", "make"), BY_HAND)
def test_it_is_what_a_student_would_write(spec, shape, make):
    inputs = torch.randn(shape)
    torch.manual_seed(3)
    by_hand = make()
    expected_draw = torch.rand(1)
    built = build(spec, seed=3)

    assert torch.equal(torch.rand(1), expected_draw)  # the generator stands where it would stand
    torch.manual_seed(4)
    expected = by_hand(inputs)
    torch.manual_seed(4)
    assert torch.equal(built(inputs), expected)
    pairs = zip(built.parameters(), by_hand.parameters(), strict=True)
    assert all(torch.equal(ours, theirs) for ours, theirs in pairs)


def test_names_of_parameters_are_those_of_torch():
    spec = Block([linear(2, 2), Block([linear(2, 2)], name="body"), Shared("0")])

    layers = ("0", "body.0", "2")
    expected = [f"{layer}.{name}" for layer in layers for name in ("weight", "bias")]
    assert list(build(spec).state_dict()) == expected


def refusal(spec: Layer | Block, shape: tuple[int, ...] | None = None) -> InvalidSpecError:
    with pytest.raises(InvalidSpecError) as caught:
        build(spec, inputs=None if shape is None else [InputSpec(shape)])
    return caught.value


@pytest.mark.parametrize(
    ("spec", "key", "type", "argument"),
    [
        (linear(10**9, 10**9), TOO_MANY, "Linear", "in_features"),
        (linear(2**62, 2**62), TOO_MANY, "Linear", "in_features"),
        (L("FixedHiddenMLP", features=10**5), TOO_MANY, "FixedHiddenMLP", "features"),
        (lstm(num_layers=10**9), "spec_times", "LSTM", "num_layers"),
        *(
            (linear(odd, 1), "spec_wrong_type", "Linear", "in_features")
            for odd in (True, 1.0, "1", None)
        ),
        (linear(-2, 3), "spec_refused", "Linear", "in_features"),
        (
            L("Conv2d", in_channels=-1, out_channels=1, kernel_size=1),
            *("spec_refused", "Conv2d", "in_channels"),
        ),
        (L("GroupNorm", num_groups=0, num_channels=4), "spec_refused", "GroupNorm", "num_groups"),
        (L("LayerNorm", normalized_shape=(10**5,) * 2), TOO_MANY, "LayerNorm", "normalized_shape"),
        (L("Linear", in_features=1), "spec_missing_argument", "Linear", "out_features"),
        (L("ReLU", slope=1), "spec_unknown_argument", "ReLU", "slope"),
        (L("ReLU", device="cuda"), "spec_unknown_argument", "ReLU", "device"),
        (L("Dropout", p=1.5), "spec_refused", "Dropout", "p"),
        *(
            (L(name), "spec_unknown_layer", name, "")
            for name in ("Module", "modules", "DataParallel")
        ),
        (
            L("TransformerEncoder", encoder_layer=L("system"), num_layers=1),
            *("spec_unknown_layer", "system", ""),
        ),
    ],
)
def test_a_layer_that_cannot_be_made_is_refused_by_path_type_and_argument(
    spec, key, type, argument
):
    error = refusal(Block([L("ReLU"), Block([spec], name="body")]))

    assert (error.key, error.values["type"], error.values["path"]) == (key, type, "body.0")
    assert argument in str(error.values["argument"])


def test_layers_that_are_too_large_only_together_are_refused():
    error = refusal(Block([linear(5000, 5000)] * 3))

    assert (error.key, error.values["given"]) == (TOO_MANY, 3 * (5000 * 5000 + 5000))


@pytest.mark.parametrize(
    ("first", "layer", "shape"),
    [
        (L("Identity"), L("ConstantPad1d", padding=10**9, value=0.0), (1, 1, 4)),
        (L("Identity"), L("Upsample", scale_factor=1e5), (1, 1, 4, 4)),
        (L("Identity"), L("LazyLinear", out_features=10**9), (1, 1, 4)),
        (  # a loop that waits for a number does not hide what comes after it
            Block([L("FixedHiddenMLP")], kind=BlockKind.RESIDUAL),
            *(L("LazyLinear", out_features=10**9), (2, 20)),
        ),
    ],
)
def test_activations_that_are_too_large_are_refused(first, layer, shape):
    error = refusal(Block([first, layer]), shape)

    said = error.key, error.values["type"], error.values["path"]
    assert said == ("spec_too_large_activations", layer.type, "1")


def test_a_sequence_too_long_is_refused_as_too_many_operations():
    error = refusal(Block([lstm()]), (1_000_000, 1, 1))

    assert (error.key, error.values["path"]) == ("spec_too_many_operations", "0")


def test_activations_are_counted_before_anything_runs():
    spec = Block([linear(20, 256), L("ReLU"), linear(256, 10)])

    size = measure(lambda: assembled(spec), [InputSpec((2, 20))])

    assert size.activation_bytes == 4 * 2 * (256 + 256 + 10)
    assert size.parameters == 20 * 256 + 256 + 256 * 10 + 10


def test_a_forward_that_fails_is_no_fault_of_the_spec():
    net = build(Block([linear(4, 3), linear(4, 3)]), inputs=[InputSpec((2, 4))])

    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        net(torch.ones(2, 4))


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_every_layer_of_the_catalogue_is_built_from_its_example():
    for each in layers():
        spec = L(each.name, **dict(each.example_arguments))
        kinds = {True: InputKind.TOKENS, False: InputKind.FLOAT}
        inputs = [
            InputSpec(one.shape, kinds[one.is_integer], one.upper or 1)
            for one in each.example_inputs
        ]
        namespace: dict[str, object] = {}
        torch.manual_seed(0)
        exec(as_sequential(spec), namespace)

        built = build(spec, seed=0, inputs=inputs)

        assert type(built).__name__ == each.name
        for ours, theirs in zip(built.parameters(), namespace["net"].parameters(), strict=True):
            assert is_lazy(ours) or torch.equal(ours, theirs), each.name


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_a_long_sequence_is_measured_by_few_of_its_steps(kind, batch_first):
    arguments = {"input_size": 2, "hidden_size": 3, "batch_first": batch_first}
    block = Block([Layer(kind, arguments), L("Item"), linear(3, 4)])

    def activation_bytes(steps: int) -> int:
        shape = (5, steps, 2) if batch_first else (steps, 5, 2)
        size = measure(lambda: assembled(block), [InputSpec(shape)])
        assert size.activation_bytes is not None
        return size.activation_bytes

    two, three, hundred = (activation_bytes(steps) for steps in (2, 3, 100))
    assert hundred == pytest.approx(two + 98 * (three - two), rel=0.002)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 1.5, "3", None, True])
def test_a_seed_that_torch_has_not_is_refused_by_its_name(seed):
    with pytest.raises(InvalidSettingError) as refused:
        build(Layer.of("Linear", in_features=2, out_features=1), seed)

    assert refused.value.field == "seed"


@pytest.mark.parametrize("seed", [2**64 - 1, -(2**63)])
def test_every_seed_that_torch_has_is_taken(seed):
    made = build(Layer.of("Linear", in_features=2, out_features=1), seed)
    torch.manual_seed(seed)

    assert torch.equal(made.weight, nn.Linear(2, 1).weight)
