import inspect
import typing

import pytest
from torch import nn

from playground.modules import catalogue
from playground.modules.layer_types import Argument, ArgumentKind, LayerType
from tests.modules.test_catalogue import LAYERS, build, inputs_of, not_about_lazy

NO_PLAIN_VALUE = {
    "Hardtanh": {"min_value", "max_value"},  # torch warns that they are deprecated
    "SyncBatchNorm": {"process_group"},
    "Transformer": {"custom_encoder", "custom_decoder"},
}
K = ArgumentKind
UPSAMPLE = {"nearest", "linear", "bilinear", "bicubic", "trilinear"}
UPSAMPLE |= {"area", "nearest-exact"}  # in its errors, and in what interpolate tells


def documented_parameters(layer: LayerType) -> dict[str, inspect.Parameter]:
    constructor = getattr(nn, layer.name).__init__
    if layer.name in {"RNN", "LSTM", "GRU"}:  # *args: the real ones are in their first overload
        constructor = typing.get_overloads(constructor)[0]
    found = dict(inspect.signature(constructor).parameters)
    return {
        name: each
        for name, each in found.items()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and name != "self"
    }


def argument(layer: str, name: str) -> Argument | None:
    return catalogue.layer(layer).argument(name)


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


def test_the_type_of_a_default_fits_its_kind_and_a_word_is_one_of_the_choices():
    fitting = {K.SWITCH: bool, K.INTEGER: int, K.INTEGERS: int, K.NUMBER: float, K.CHOICE: str}
    for layer in LAYERS:
        for each in layer.arguments:
            where = f"{layer.name}.{each.name}"
            assert each.kind != K.TEXT, where  # no word is asked for without choices
            assert each.default is None or type(each.default) is fitting[each.kind], where
            assert each.kind != K.CHOICE or each.default in each.choices, where


@not_about_lazy
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
        ("EmbeddingBag", "mode", {"sum", "mean", "max"}),
        ("TransformerEncoderLayer", "activation", {"relu", "gelu"}),
        ("Upsample", "mode", UPSAMPLE),
    ],
)
def test_choices_are_those_of_the_documentation(layer, name, choices):
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
def test_kinds_and_lengths_are_those_of_the_documentation(layer, name, kind, lengths):
    assert (argument(layer, name).kind, argument(layer, name).lengths) == (kind, lengths)


@pytest.mark.parametrize(
    ("layer", "name", "allows_none"),  # where the documentation says optional
    [
        ("MaxPool2d", "stride", True),
        ("AdaptiveAvgPool2d", "output_size", True),
        ("BatchNorm1d", "momentum", True),
        ("LazyBatchNorm1d", "momentum", True),  # only BatchNorm1d says so
        ("Upsample", "align_corners", True),
        ("InstanceNorm1d", "momentum", False),
        ("Linear", "bias", False),
    ],
)
def test_none_is_allowed_where_the_documentation_says_optional(layer, name, allows_none):
    assert argument(layer, name).allows_none == allows_none


def test_a_nested_layer_is_named_by_its_type():
    assert argument("TransformerEncoder", "encoder_layer").module_type == "TransformerEncoderLayer"
    assert argument("TransformerEncoder", "norm").module_type is None
