import warnings

import pytest
from torch import nn

from playground.modules import catalogue
from playground.modules.catalogue import Exclusion
from playground.modules.layer_types import Group
from tests.modules.test_catalogue import CALLED, LAYERS, build


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


def test_lazy_layers_are_those_with_uninitialised_tensors():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lazy = {each.name for each in CALLED if has_lazy_tensors(build(each))}

    assert {each.name for each in LAYERS if each.is_lazy} == lazy
    assert len(lazy) == 13


def has_lazy_tensors(module: nn.Module) -> bool:
    tensors = [*module.parameters(), *module.buffers()]
    return any(isinstance(each, nn.parameter.UninitializedTensorMixin) for each in tensors)


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
        ("Threshold", Group.ACTIVATION),
        ("LogSoftmax", Group.ACTIVATION_OTHER),
        ("Softmin", Group.ACTIVATION_OTHER),
        ("InstanceNorm3d", Group.NORMALIZATION),
        ("LocalResponseNorm", Group.NORMALIZATION),
        ("LSTMCell", Group.RECURRENT),
        ("TransformerEncoder", Group.TRANSFORMER),
        ("Identity", Group.LINEAR),
        ("FeatureAlphaDropout", Group.DROPOUT),
        ("EmbeddingBag", Group.SPARSE),
        ("PairwiseDistance", Group.DISTANCE),
        ("PixelShuffle", Group.VISION),
        ("Upsample", Group.VISION),
        ("ChannelShuffle", Group.SHUFFLE),
        ("Flatten", Group.UTILITIES),
    ],
)
def test_groups_are_those_of_the_documentation(name: str, group: Group):
    assert catalogue.layer(name).group == group
