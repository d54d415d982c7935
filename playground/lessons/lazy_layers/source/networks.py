"""Networks and their batches as lines of a program."""

from playground.modules.source import as_sequential
from playground.modules.source.program import input_names
from playground.modules.spec import InputKind, InputSpec, Network

SMALL = "net = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.LazyLinear(10))"
HEAD = "import torch\nfrom torch import nn\n"


def program(network: Network, seed: int | None = None) -> str:
    """The beginning of a program: imports, and the lines that make ``net``."""
    text = as_sequential(network, seed=seed).rstrip()
    if "import torch\n" not in text:
        text = text.replace("from torch import", "import torch\nfrom torch import", 1)
    return f"{text}\n"


def imports(network: Network) -> str:
    """What stands in front of those lines: imports, and classes of our own."""
    text = program(network)
    made = making(network)
    return text[: text.index(f"\n{made}")].rstrip()


def making(network: Network) -> str:
    """Only the lines that make ``net``, for a second network in one program."""
    text = as_sequential(network)
    shared = text.find("\nshared")
    begin = shared if shared >= 0 else text.index("\nnet = ")
    return text[begin + 1 :].rstrip()


def drawn(network: Network) -> str:
    """The lines that draw what goes in."""
    return "\n".join(
        f"{name} = {_drawn(one)}" for name, one in zip(names(network), network.input, strict=True)
    )


def names(network: Network) -> tuple[str, ...]:
    """What the inputs are called."""
    return input_names(len(network.input))


def called(network: Network) -> str:
    """The call of the network."""
    return f"net({', '.join(names(network))})"


def reached(path: str) -> str:
    """How a program reaches a module.

    >>> reached("0"), reached("1.0"), reached("encoder.0"), reached("")
    ('net[0]', 'net[1][0]', 'net.get_submodule("encoder.0")', 'net')
    """
    parts = path.split(".") if path else []
    if all(part.isdecimal() for part in parts):
        return "net" + "".join(f"[{part}]" for part in parts)
    return f'net.get_submodule("{path}")'


def _drawn(one: InputSpec) -> str:
    if one.kind is InputKind.TOKENS:
        return f"torch.randint({one.below}, {one.shape!r})"
    return f"torch.randn({', '.join(map(str, one.shape)) or '()'})"
