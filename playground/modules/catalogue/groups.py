"""Under which heading of torch's documentation a layer stands, read from where it is defined."""

from torch import nn

from playground.modules.layer_types import Group

HEADINGS = {
    "container": Group.CONTAINERS,
    "conv": Group.CONVOLUTION,
    "fold": Group.CONVOLUTION,
    "pooling": Group.POOLING,
    "padding": Group.PADDING,
    "activation": Group.ACTIVATION,
    "batchnorm": Group.NORMALIZATION,
    "instancenorm": Group.NORMALIZATION,
    "normalization": Group.NORMALIZATION,
    "rnn": Group.RECURRENT,
    "transformer": Group.TRANSFORMER,
    "linear": Group.LINEAR,
    "dropout": Group.DROPOUT,
    "sparse": Group.SPARSE,
    "distance": Group.DISTANCE,
    "pixelshuffle": Group.VISION,
    "upsampling": Group.VISION,
    "channelshuffle": Group.SHUFFLE,
    "flatten": Group.UTILITIES,
}


def group_of(module_class: type[nn.Module]) -> Group:
    """The heading of a layer; a class from outside torch.nn is one of our own.

    >>> group_of(nn.LazyConv2d), group_of(nn.Softmax)
    (<Group.CONVOLUTION: 'convolution'>, <Group.ACTIVATION_OTHER: 'activation_other'>)
    """
    package, _, file = module_class.__module__.rpartition(".")
    if package != "torch.nn.modules":
        return Group.CUSTOM
    if file == "activation" and "softm" in module_class.__name__.lower():
        return Group.ACTIVATION_OTHER  # one file in torch, two headings in its documentation
    return HEADINGS[file]
