import pickle
import random
import warnings

import pytest
import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.modules import catalogue
from playground.modules.catalogue import Exclusion
from playground.modules.layer_types import ArgumentKind, Group, LayerType, Value

LAYERS = catalogue.layers()
CALLED = tuple(each for each in LAYERS if each.name in {"Sequential"} or not each.is_container)
WITH_TOKENS = {"Embedding", "EmbeddingBag"}  # their documentation: "IntTensor or LongTensor"
not_about_lazy = pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")


def build(layer: LayerType, **changed: Value) -> nn.Module:
    """Build without the catalogue's own way of building."""
    values = {**dict(layer.example_arguments), **changed}
    for name in ("encoder_layer", "decoder_layer"):
        if name in values:
            inner, pairs = values[name]
            values[name] = getattr(nn, inner)(**dict(pairs))
    return getattr(nn, layer.name)(**values)


def inputs_of(layer: LayerType, seed: int = 0) -> list[torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return [
        torch.randint(0, each.upper, each.shape, generator=draw)
        if each.is_integer
        else torch.randn(each.shape, generator=draw)
        for each in layer.example_inputs
    ]


@not_about_lazy
@pytest.mark.parametrize("layer", CALLED, ids=lambda layer: layer.name)
def test_every_layer_builds_and_runs_on_its_example_without_a_warning(layer):
    build(layer)(*inputs_of(layer))


def test_every_layer_that_can_be_called_has_an_input_and_the_others_none():
    for layer in LAYERS:
        has_forward = getattr(nn, layer.name).forward is not nn.Module.forward
        assert bool(layer.example_inputs) == has_forward == bool(layer.input_ranks), layer.name
    without = {each.name for each in LAYERS if not each.example_inputs}
    assert without == {"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"}


@not_about_lazy
def test_exactly_the_chainable_layers_make_one_tensor_of_one_in_a_sequential():
    for layer in CALLED:
        given = inputs_of(layer)
        try:
            makes_one = isinstance(nn.Sequential(build(layer))(*given), torch.Tensor)
        except TypeError:  # a Sequential takes one input
            makes_one = False
        assert layer.is_chainable == makes_one, layer.name


def test_only_embeddings_take_tokens_first_and_their_bound_is_exact():
    assert {each.name for each in LAYERS if each.takes_integers} == WITH_TOKENS
    for layer in CALLED:
        if not any(each.is_integer for each in layer.example_inputs):
            continue
        assert all(each.is_integer == (each.upper is not None) for each in layer.example_inputs)
        first_refused = [
            torch.full(each.shape, each.upper) if each.is_integer else torch.ones(each.shape)
            for each in layer.example_inputs
        ]
        with pytest.raises((IndexError, RuntimeError)):
            build(layer)(*first_refused)
        build(layer)(*[each - 1 if each.dtype == torch.int64 else each for each in first_refused])


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("Linear", (1, 2, 3, 4, 5)),  # (*, in_features)
        ("Conv1d", (2, 3)),  # (C, L) or (N, C, L)
        ("ConvTranspose3d", (4, 5)),
        ("BatchNorm1d", (2, 3)),  # (N, C) or (N, C, L)
        ("BatchNorm2d", (4,)),
        ("InstanceNorm2d", (3, 4)),
        ("LSTM", (2, 3)),  # (L, H) or (L, N, H)
        ("GRUCell", (1, 2)),
        ("MultiheadAttention", (2, 3)),
        ("Embedding", (1, 2, 3, 4, 5)),  # (*)
        ("EmbeddingBag", (2,)),  # in one dimension it needs offsets
        ("Upsample", (3, 4, 5)),
        ("Fold", (2, 3)),
        ("Softmax2d", (3, 4)),
    ],
)
def test_ranks_are_those_of_the_documentation(name, ranks):
    assert catalogue.layer(name).input_ranks == ranks


def test_summaries_are_one_sentence_without_markup():
    for layer in LAYERS:
        assert layer.summary.endswith("."), layer.name
        assert not set("`\\\n<>") & set(layer.summary), layer.summary
        assert ":math:" not in layer.summary
        assert layer.summary[0].isupper()
    assert catalogue.layer("GRU").summary == (
        "Apply a multi-layer gated recurrent unit (GRU) RNN to an input sequence."
    )


def test_the_catalogue_is_plain_and_reads_the_same_again():
    again = tuple(catalogue.describe(getattr(nn, each.name)) for each in LAYERS)
    assert again == LAYERS
    assert pickle.loads(pickle.dumps(LAYERS)) == LAYERS  # noqa: S301 - its own
    assert hash(LAYERS) == hash(again)


def test_reading_leaves_torch_as_it_was():
    torch.manual_seed(7)
    random.seed(7)
    before = torch.get_rng_state(), random.getstate(), list(warnings.filters)
    with torch.enable_grad():
        catalogue.describe(nn.RReLU)
        catalogue.describe(nn.LazyConv2d)
        assert torch.is_grad_enabled()

    assert torch.equal(torch.get_rng_state(), before[0])
    assert (random.getstate(), list(warnings.filters)) == before[1:]
    assert not torch.is_warn_always_enabled()


def test_a_class_of_our_own_is_described_too():
    class Doubled(nn.Module):
        """Twice what comes in. And more."""

        def __init__(self, times: int = 2, *, mode: str = "plain"):
            super().__init__()
            self.times, self.mode = times, mode

        def forward(self, x):
            return self.times * x

    doubled = catalogue.describe(Doubled)
    assert (doubled.group, doubled.summary) == (Group.CUSTOM, "Twice what comes in.")
    assert [each.name for each in doubled.example_inputs] == ["x"]
    assert doubled.is_chainable
    mode = doubled.argument("mode")
    assert mode.is_keyword_only
    assert (mode.kind, mode.choices) == (ArgumentKind.TEXT, ())  # nothing checks the word


def test_a_class_that_never_runs_is_refused_by_name():
    class Never(nn.Module):
        """Refuse."""

        def forward(self, x):
            raise ValueError(x.ndim)

    with pytest.raises(LookupError, match="Never"):
        catalogue.describe(Never)


def test_every_module_of_torch_nn_is_listed_or_left_out_for_a_reason():
    offered = {
        name
        for name in {*dir(nn), *nn.modules.__all__}
        if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
    }
    listed = [each.name for each in LAYERS]
    assert sorted([*listed, *catalogue.excluded()]) == sorted(offered)  # each once


def test_what_is_left_out_is_what_its_reason_says():
    by_reason: dict[Exclusion, set[str]] = {}
    for name, reason in catalogue.excluded().items():
        by_reason.setdefault(reason, set()).add(name)

    assert by_reason.pop(Exclusion.WRAPPER) == {"DataParallel"}
    assert by_reason.pop(Exclusion.ABSTRACT) == {"Module", "RNNBase", "RNNCellBase"}
    assert by_reason.pop(Exclusion.UNDOCUMENTED) == {"Container", "CrossMapLRN2d"}
    losses = by_reason.pop(Exclusion.LOSS)
    assert not by_reason
    assert all("Loss" in name for name in losses)
    assert losses >= {name for name in dir(nn.modules.loss) if name in dir(nn) and "Loss" in name}


@not_about_lazy
def test_lazy_layers_are_those_with_uninitialised_tensors():
    lazy = {x.name for x in CALLED if any(map(is_lazy, build(x).state_dict().values()))}
    assert {each.name for each in LAYERS if each.is_lazy} == lazy
    assert len(lazy) == 13


def test_every_heading_of_the_documentation_has_layers_and_lazy_ones_stand_with_the_others():
    groups = {each.name: each.group for each in LAYERS}

    assert set(groups.values()) == set(Group) - {Group.CUSTOM}
    for name in groups:
        if name.startswith("Lazy"):
            assert groups[name] == groups[name.removeprefix("Lazy")]


@pytest.mark.parametrize(
    ("name", "group"),  # as pytorch.org/docs/stable/nn.html lists them
    [
        ("Sequential", Group.CONTAINERS),
        ("Unfold", Group.CONVOLUTION),
        ("FractionalMaxPool2d", Group.POOLING),
        ("ZeroPad2d", Group.PADDING),
        ("MultiheadAttention", Group.ACTIVATION),
        ("LogSoftmax", Group.ACTIVATION_OTHER),
        ("Softmin", Group.ACTIVATION_OTHER),
        ("LocalResponseNorm", Group.NORMALIZATION),
        ("LSTMCell", Group.RECURRENT),
        ("TransformerEncoder", Group.TRANSFORMER),
        ("Identity", Group.LINEAR),
        ("FeatureAlphaDropout", Group.DROPOUT),
        ("EmbeddingBag", Group.SPARSE),
        ("PairwiseDistance", Group.DISTANCE),
        ("Upsample", Group.VISION),
        ("ChannelShuffle", Group.SHUFFLE),
        ("Flatten", Group.UTILITIES),
    ],
)
def test_groups_are_those_of_the_documentation(name, group):
    assert catalogue.layer(name).group == group
