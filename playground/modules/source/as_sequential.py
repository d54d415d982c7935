"""A network as one nn.Sequential."""

from playground.modules.source.expressions import Writer
from playground.modules.source.layout import lines, prefixed
from playground.modules.source.program import inputs_of, program
from playground.modules.spec.network import Network
from playground.modules.spec.nodes import Node
from playground.modules.spec.sharing import root_of, shared_nodes


def as_sequential(spec: Node | Network, *, seed: int | None = None, run: bool = False) -> str:
    """Write the program that makes ``net`` of nn.Sequential and the layers.

    What nn.Sequential cannot say is a small class in the program; what is used again is a variable.

    Args:
        spec: A layer, a block or a network.
        seed: Written as ``torch.manual_seed(seed)``; without one, nothing is.
        run: Whether to call the network in the end, with inputs as the ``Network`` tells them.

    Raises:
        InvalidSpecError: A place shares what is not there.

    >>> from playground.modules.spec import Block, Layer
    >>> print(as_sequential(Block([Layer("Linear", {"in_features": 2, "out_features": 1})])))
    from torch import nn
    <BLANKLINE>
    net = nn.Sequential(
        nn.Linear(2, 1),
    )
    <BLANKLINE>
    """
    root = root_of(spec)
    shared = shared_nodes(root)
    writer = Writer(variable_names(shared))
    body = [line for path, node in shared.items() for line in made_first(writer, path, node)]
    body += lines(prefixed("net = ", writer.node(root, "", is_open=True)))
    return program(body, writer, seed=seed, run=inputs_of(spec, run))


def variable_names(shared: dict[str, Node]) -> dict[str, str]:
    """What the nodes that are used again are called: ``shared``, or ``shared1`` and so on."""
    if len(shared) == 1:
        return dict.fromkeys(shared, "shared")
    return {path: f"shared{number}" for number, path in enumerate(shared, start=1)}


def made_first(writer: Writer, path: str, node: Node, indent: int = 0) -> list[str]:
    """The lines that make a node that is used again, and call it by its variable."""
    made = prefixed(f"{writer.variables[path]} = ", writer.making(node, path))
    return lines(made, indent=indent)
