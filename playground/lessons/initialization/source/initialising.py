"""Programs about one tensor: as torch fills it, and as an initialiser does."""

from playground.lessons.initialization.records import CountFans, Initialize, ReadDefault
from playground.lessons.initialization.records.arguments import written
from playground.modules.source import as_sequential


def read_default(settings: ReadDefault) -> str:
    """Make the network, and look at one parameter."""
    path = settings.parameter
    reach = f'net.get_parameter("{path}")' if path else "next(net.parameters())"
    return _with_torch(f"""{as_sequential(settings.spec, seed=settings.seed)}
w = {reach}.detach()
print(w.shape, w.std())

result = (w.min().item(), w.max().item(), w.mean().item())
""")


def initialize(settings: Initialize) -> str:
    """Fill a tensor, and count."""
    if settings.shape is None:
        made = as_sequential(settings.spec)
        tensor = f'w = net.get_parameter("{settings.parameter}").detach()'
    else:
        made = "from torch import nn\n"
        tensor = f"w = torch.empty({', '.join(map(str, settings.shape))})"
    arguments = written(settings.pairs)
    call = f"nn.init.{settings.initializer}(w{', ' if arguments else ''}{arguments})"
    return _with_torch(f"""{made}
torch.manual_seed({settings.seed})
{tensor}
{call}
print(w.std())
counts = torch.histc(w, bins=61)

result = (w.mean().item(), counts.tolist())
""")


def count_fans(settings: CountFans) -> str:
    """Fill a layer's weight, and see what comes through."""
    sizes = ", ".join(map(str, settings.layout.input_shape))
    return _with_torch(f"""{as_sequential(settings.layout.layer)}
torch.manual_seed({settings.seed})
nn.init.kaiming_normal_({settings.layout.weight}, mode="{settings.mode}", nonlinearity="relu")
nn.init.zeros_(net.bias)
print(net.weight.shape)

X = torch.randn({sizes})
with torch.no_grad():
    signal = torch.relu(net(X)).square().mean()

result = signal.item()
""")


def _with_torch(program: str) -> str:
    """The program, with torch imported where it makes no use of torch itself."""
    lines = program.splitlines(keepends=True)
    if "import torch\n" not in lines:
        first = next(place for place, line in enumerate(lines) if line.startswith("from torch"))
        lines.insert(first, "import torch\n")
    return "".join(lines)
