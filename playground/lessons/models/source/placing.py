"""Programs about one network in its place."""

from playground.lessons.models.records import FindModel, MoveInPlace, MoveLazy, ReadResult, Thing


def find_model(settings: FindModel) -> str:
    """Ask every parameter where it is."""
    return f"""\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
net[0].to("{settings.first}")
net[2].to("{settings.second}")
for name, parameter in net.named_parameters():
    print(name, parameter.device)

parameters = net.parameters()  # a generator: it gives each parameter once
counts = len(list(parameters)), len(list(parameters))
device = next(net.parameters()).device  # of the first; the others may be elsewhere

result = (str(device), counts, hasattr(net, "device"))
"""


def move_in_place(settings: MoveInPlace) -> str:
    """Move a module or a tensor, and compare what ``.to`` returned with what it was called on."""
    if settings.thing == Thing.MODULE:
        return f"""\
import torch
from torch import nn

net = nn.Linear(4, 3).to("{settings.start}")
weight = net.weight
moved = net.to("{settings.target}")

result = (str(net.weight.device), moved is net, net.weight is weight)
"""
    return f"""\
import torch

x = torch.ones(2, 4).to("{settings.start}")
moved = x.to("{settings.target}")

result = (str(x.device), moved is x, str(moved.device))
"""


def move_lazy(settings: MoveLazy) -> str:
    """Move a network without shapes, then feed it."""
    return f"""\
import torch
from torch import nn

net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))
net.to("{settings.target}")
print(net[0].weight, net[0].weight.device)  # no shape yet, but a device
before = (type(net[0].weight).__name__, str(net[0].weight.device))

X = torch.ones(2, 4, device="{settings.batch}")
Y = net(X)
after = (type(net[0].weight).__name__, str(net[0].weight.device), tuple(net[0].weight.shape))

result = (before, after, str(Y.device))
"""


def mend_lazy(settings: MoveLazy) -> tuple[str, str]:
    """The line of the first batch, and the same with the batch moved to the network."""
    return "Y = net(X)", f'Y = net(X.to("{settings.target}"))'


def read_result(settings: ReadResult) -> str:
    """Let a network compute, and read its result."""
    return f"""\
import torch
from torch import nn

net = nn.Linear(4, 3, bias=False)
nn.init.constant_(net.weight, 0.5)
net.to("{settings.device}")
Y = net(torch.ones(2, 4, device="{settings.device}"))
read = {settings.reading.written}

result = (str(Y.device), type(read).__name__, str(read))
"""
