import inspect
import typing
import warnings

import pytest
from torch import nn

from playground.modules import catalogue
from playground.modules.catalogue import examples
from playground.modules.layer_types import Argument, ArgumentKind, LayerType
from tests.modules.test_catalogue import LAYERS, build, inputs_of

NO_PLAIN_VALUE = {
    "Hardtanh": {"min_value", "max_value"},  # torch warns that they are deprecated
    "SyncBatchNorm": {"process_group"},
    "Transformer": {"custom_encoder", "custom_decoder"},
}
K = ArgumentKind


def documented_parameters(layer: LayerType) -> dict[str, inspect.Parameter]:
    """What a constructor takes, read without the catalogue."""
    constructor = getattr(nn, layer.name).__init__
    if layer.name in {"RNN", "LSTM", "GRU"}:  # *args: the real ones are in their first overload
        constructor = typing.get_overloads(constructor)[0]
    found = dict(inspect.signature(constructor).parameters)
    return {
        name: each
        for name, each in found.items()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and name != "self"
    }


def argument(layer: str, name: str) -> Argument:
    found = catalogue.layer(layer).argument(name)
    assert found is not None
    return found


def test_arguments_are_those_of_the_signature_in_its_order():
    for layer in LAYERS:
        if layer.is_container:
            assert layer.arguments == ()
            continue
        names = [
            name
            for name in documented_parameters(layer)
            if name not in {"device", "dtype", *NO_PLAIN_VALUE.get(layer.name, ())}
            and not name.startswith("_")
        ]
        assert [each.name for each in layer.arguments] == names, layer.name


def test_defaults_and_requirements_are_those_of_the_signature():
    for layer in LAYERS:
        parameters = documented_parameters(layer)
        for each in layer.arguments:
            default = parameters[each.name].default
            where = f"{layer.name}.{each.name}"
            assert each.is_required == (default is inspect.Parameter.empty), where
            assert each.is_keyword_only == (parameters[each.name].kind.name == "KEYWORD_ONLY")
            if not each.is_required:
                plain = default.__name__ if callable(default) else default
                assert each.default == plain, where
                assert type(each.default) is type(plain), where
                assert each.allows_none or default is not None, where


def test_rnn_arguments_are_those_of_their_base():
    base = set(inspect.signature(nn.RNNBase.__init__).parameters) - {"self", "device", "dtype"}

    assert {each.name for each in catalogue.layer("LSTM").arguments} == base - {"mode"}


def test_every_required_argument_has_an_example():
    for layer in LAYERS:
        given = dict(layer.example_arguments)
        assert {each.name for each in layer.required} <= set(given), layer.name
        assert all(layer.argument(name) for name in given), layer.name


def test_the_type_of_a_default_fits_its_kind():
    fitting = {
        K.SWITCH: bool,
        K.INTEGER: int,
        K.INTEGERS: int,
        K.NUMBER: float,
        K.CHOICE: str,
        K.TEXT: str,
    }
    for layer in LAYERS:
        for each in layer.arguments:
            if each.default is not None:
                assert type(each.default) is fitting[each.kind], f"{layer.name}.{each.name}"


def test_a_default_word_is_among_the_choices_and_no_word_is_asked_for_without_choices():
    for layer in LAYERS:
        for each in layer.arguments:
            assert each.kind != K.TEXT, f"{layer.name}.{each.name}"
            if each.kind == K.CHOICE:
                assert each.default in each.choices, f"{layer.name}.{each.name}"


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_every_length_is_taken():
    for layer in LAYERS:
        for each in layer.arguments:
            if each.kind != K.INTEGERS or layer.name == "Upsample":
                continue  # how many sizes an Upsample takes depends on the input
            one = dict(layer.example_arguments).get(each.name, each.default)
            one = 2 if one is None else one
            for length in each.lengths:
                build(layer, **{each.name: (one,) * length})(*inputs_of(layer))


@pytest.mark.parametrize(
    ("layer", "name", "choices"),
    [
        ("Conv2d", "padding_mode", {"zeros", "reflect", "replicate", "circular"}),
        ("Conv2d", "padding", {"valid", "same"}),
        ("LazyConv1d", "padding", {"valid", "same"}),
        ("ConvTranspose2d", "padding", set()),
        ("ConvTranspose2d", "padding_mode", {"zeros"}),  # forward refuses the others
        ("GELU", "approximate", {"none", "tanh"}),
        ("RNN", "nonlinearity", {"tanh", "relu"}),
        ("RNNCell", "nonlinearity", {"tanh", "relu"}),
        ("EmbeddingBag", "mode", {"sum", "mean", "max"}),
        ("TransformerEncoderLayer", "activation", {"relu", "gelu"}),
        (
            "Upsample",  # the last two are in its errors, and in what interpolate tells
            "mode",
            {"nearest", "linear", "bilinear", "bicubic", "trilinear", "area", "nearest-exact"},
        ),
    ],
)
def test_choices_are_those_of_the_documentation(layer: str, name: str, choices: set[str]):
    assert set(argument(layer, name).choices) == choices


@pytest.mark.parametrize(
    ("layer", "name", "kind", "lengths"),
    [
        ("Linear", "in_features", K.INTEGER, ()),
        ("Linear", "bias", K.SWITCH, ()),
        ("Dropout", "p", K.NUMBER, ()),
        ("Conv1d", "kernel_size", K.INTEGERS, (1,)),
        ("Conv3d", "stride", K.INTEGERS, (3,)),
        ("ZeroPad2d", "padding", K.INTEGERS, (4,)),
        ("AdaptiveAvgPool2d", "output_size", K.INTEGERS, (2,)),
        ("LayerNorm", "normalized_shape", K.INTEGERS, ()),  # any length
        ("Unflatten", "unflattened_size", K.INTEGER_TUPLE, ()),
        ("Upsample", "scale_factor", K.NUMBERS, (1, 2, 3)),
        ("MultiheadAttention", "embed_dim", K.INTEGER, ()),  # no annotation says so
        ("MultiheadAttention", "kdim", K.INTEGER, ()),
        ("MultiheadAttention", "dropout", K.NUMBER, ()),
        ("LazyBatchNorm2d", "momentum", K.NUMBER, ()),
        ("TransformerDecoder", "decoder_layer", K.MODULE, ()),
    ],
)
def test_kinds_and_lengths_are_those_of_the_documentation(
    layer: str, name: str, kind: ArgumentKind, lengths: tuple[int, ...]
):
    assert (argument(layer, name).kind, argument(layer, name).lengths) == (kind, lengths)


def test_what_is_known_of_a_linear_layer():
    assert catalogue.layer("Linear").arguments == (
        Argument(name="in_features", kind=K.INTEGER, is_required=True),
        Argument(name="out_features", kind=K.INTEGER, is_required=True),
        Argument(name="bias", kind=K.SWITCH, default=True),
    )


def test_what_is_known_of_pooling():
    assert argument("MaxPool2d", "return_indices") == Argument(
        name="return_indices", kind=K.SWITCH, default=False
    )
    assert argument("MaxPool2d", "stride").allows_none
    assert argument("AdaptiveAvgPool2d", "output_size").allows_none


def test_none_is_allowed_where_the_documentation_says_optional():
    assert argument("BatchNorm1d", "momentum").allows_none
    assert argument("LazyBatchNorm1d", "momentum").allows_none  # only BatchNorm1d says so
    assert argument("Upsample", "align_corners").allows_none
    assert not argument("InstanceNorm1d", "momentum").allows_none


def test_a_nested_layer_is_named_by_its_type():
    assert argument("TransformerEncoder", "encoder_layer").module_type == "TransformerEncoderLayer"
    assert argument("TransformerEncoder", "norm").module_type is None


@pytest.mark.parametrize("name", sorted(examples.FIRST_CHOICES))
def test_no_first_choice_is_needless(name: str, monkeypatch: pytest.MonkeyPatch):
    users = [each for each in LAYERS if name in {one.name for one in each.required}]
    monkeypatch.delitem(examples.FIRST_CHOICES, name)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert any(differs_now(each) for each in users)


def differs_now(layer: LayerType) -> bool:
    try:
        return catalogue.describe(getattr(nn, layer.name)) != layer
    except LookupError:
        return True
