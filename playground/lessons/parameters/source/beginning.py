"""How every program of this lesson begins: a network, a batch, a first call."""

from playground.lessons.parameters.records.networks import RGNET, variable_of
from playground.modules.source import as_sequential
from playground.modules.source.program import input_names
from playground.modules.spec import InputSpec, Network

NESTED = """\
import torch
from torch import nn


def block1():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())


def block2():
    net = nn.Sequential()
    for i in range(4):
        net.add_module(f"block {{i}}", block1())
    return net


torch.manual_seed({seed})
rgnet = nn.Sequential(block2(), nn.Linear(4, 1))

X = torch.randn({shape})
"""


def beginning(network: Network, seed: int, *, is_called: bool = True) -> str:
    """Make the network and a batch, and call it.

    Args:
        network: The lesson's nested one is written as the textbook does, any other layer by layer.
        seed: Of torch's generator.
        is_called: Otherwise the program ends with the batch.
    """
    if network.block == RGNET.block and is_plain(network.input):
        shape = ", ".join(map(str, network.input[0].shape))
        text = NESTED.format(seed=seed, shape=shape)
        return text + ("Y = rgnet(X)\n" if is_called else "")
    text = as_sequential(network, seed=seed, run=True)
    variable = variable_of(network)
    if variable != "net":
        text = text.replace("\nnet = ", f"\n{variable} = ").replace("Y = net(", f"Y = {variable}(")
    return text if is_called else text.rpartition("Y = ")[0]


def is_plain(inputs: tuple[InputSpec, ...]) -> bool:
    """Whether there is one batch of numbers, with a shape."""
    return len(inputs) == 1 and inputs[0].kind == "float" and bool(inputs[0].shape)


def call_of(network: Network) -> str:
    """A call of the network.

    >>> call_of(RGNET)
    'rgnet(X)'
    """
    return f"{variable_of(network)}({', '.join(input_names(len(network.input)))})"
