"""Programs about one tensor under two names: written through, gone back through, counted, saved."""

from playground.lessons.tied_parameters.records import (
    CountTied,
    LoadTied,
    ShareLayer,
    Sharing,
    StepTied,
    TiedGradient,
)
from playground.modules.source import as_sequential

TIED_NET = """shared = nn.Linear(4, 4)
net = nn.Sequential(shared, nn.ReLU(), shared)"""


def share_layer(settings: ShareLayer) -> str:
    """Put a layer in two places, and write a number through one of them."""
    needs = "import copy\n\n" if settings.sharing is Sharing.DEEPCOPY else ""
    making = ""
    if settings.sharing is Sharing.COPIED:
        making = "other = nn.Linear(8, 8)\nother.load_state_dict(shared.state_dict())\n"
    return f"""{needs}import torch
from torch import nn

torch.manual_seed({settings.seed})
shared = nn.Linear(8, 8)
{making}net = nn.Sequential(
    nn.Linear(4, 8),
    nn.ReLU(),
    shared,
    nn.ReLU(),
    {settings.sharing.written},
    nn.ReLU(),
    nn.Linear(8, 1),
)
before = torch.equal(net[2].weight, net[4].weight)
print(before)
with torch.no_grad():
    net[{settings.position.number}].weight[0, 0] = {settings.value}
after = torch.equal(net[2].weight, net[4].weight)
print(after)

other_value = net[{settings.position.other.number}].weight[0, 0].item()

result = (before, after, net[2] is net[4], other_value)
"""


def tied_gradient(settings: TiedGradient) -> str:
    """Go back through a tied layer, then through untied copies of it."""
    return f"""import copy

import torch
from torch import nn

torch.manual_seed({settings.seed})
first, shared, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
X = torch.randn(8, 3)
copies = [copy.deepcopy(shared) for _ in range({settings.uses})]


def backward_through(inner):
    layers = [module for layer in inner for module in (layer, nn.Tanh())]
    net = nn.Sequential(first, nn.Tanh(), *layers, last)
    net(X).sum().backward()


backward_through([shared] * {settings.uses})
backward_through(copies)
parts = [layer.weight.grad for layer in copies]
print(torch.allclose(shared.weight.grad, sum(parts)))

result = (shared.weight.grad.tolist(), [part.tolist() for part in parts])
"""


def count_tied(settings: CountTied) -> str:
    """Count the network's numbers by names, by objects and by storages."""
    return (
        as_sequential(settings.spec, seed=0, run=settings.is_lazy)
        + """
names = dict(net.named_parameters(remove_duplicate=False))
groups = {}
for name, parameter in names.items():
    groups.setdefault(parameter, []).append(name)  # a Parameter is hashed by its identity
print([group for group in groups.values() if len(group) > 1])

state = net.state_dict()
counted = sum(parameter.numel() for parameter in net.parameters())
saved = sum(tensor.numel() for tensor in state.values())
storages = {tensor.untyped_storage() for tensor in state.values()}

result = (counted, saved, len(names), len(groups), len(storages))
"""
    )


def load_tied(settings: LoadTied) -> str:
    """Save a tied network, and load what was read, changed or not."""
    lines = "\n".join(settings.given.written)
    return f"""import io

import torch
from torch import nn

torch.manual_seed(0)
{TIED_NET}
file = io.BytesIO()  # a file in memory; a path does as well
torch.save(net.state_dict(), file)
file.seek(0)
state = torch.load(file, weights_only=True)
print(list(state))

{TIED_NET}
{lines}

result = net[0].weight[0, 0].item()
"""


def step_tied(settings: StepTied) -> str:
    """Hand a tied weight to SGD, and step once."""
    return f"""import torch
from torch import nn

torch.manual_seed({settings.seed})
{TIED_NET.replace("nn.ReLU()", "nn.Tanh()")}
net(torch.randn(8, 4)).sum().backward()
weights, grads = shared.weight.detach().flatten(), shared.weight.grad.flatten()
place = grads.abs().argmax()  # where rounding matters least
before = weights[place].item()
optimizer = torch.optim.SGD(
    {settings.handed.written},
    lr=0.1,
)
optimizer.step()
moved = weights[place].item() - before

result = moved / (-0.1 * grads[place].item())
"""
