"""How a name in the state_dict is written as code, read off the network's description."""

from playground.modules.spec import Block, Layer, Network, Node, Shared
from playground.modules.spec.names import NUMBER, is_identifier


def index_path(network: Network, name: str, variable: str = "net") -> str:
    """The code that reaches a parameter or a module.

    Args:
        network: Where it is.
        name: As ``named_parameters`` or ``named_modules`` have it.
        variable: What the network is called in the code.

    >>> inner = Block([Layer.of("Linear", in_features=4, out_features=8)], name="block 1")
    >>> from playground.modules.spec import InputSpec
    >>> index_path(Network(Block([Layer("ReLU"), inner]), InputSpec((2, 4))), "block 1.0.bias")
    'net[1][0].bias'
    """
    written, here = variable, _stands_for(network.block, network.block)
    for part in name.split(".") if name else ():
        if isinstance(here, Block):
            place, here = _child(here, part, network.block)
            written += f"[{place}]"
        elif NUMBER.fullmatch(part):
            written += f"[{part}]"  # a layer that keeps its parts in a list of modules
        elif is_identifier(part):
            written += f".{part}"
        else:
            written = f'getattr({written}, "{part}")'
    return written


def part_names(network: Network) -> tuple[str, ...]:
    """The names of the outermost modules; none where the network is a single layer."""
    if not isinstance(network.block, Block):
        return ()
    return tuple(name for names in network.block.names() for name in names)


def _child(block: Block, name: str, root: Node) -> tuple[int, Node | None]:
    """The place of a child among all of them, copies counted, and what it is."""
    place = 0
    for child, names in zip(block.children, block.names(), strict=True):
        if name in names:
            return place + names.index(name), _stands_for(child, root)
        place += len(names)
    raise LookupError(name)


def _stands_for(node: Node | None, root: Node) -> Node | None:
    """The node itself, or what it shares."""
    while isinstance(node, Shared):
        found: Node | None = root
        for part in node.of.split("."):
            found = _child(found, part, root)[1] if isinstance(found, Block) else None
        node = found
    return node if isinstance(node, Block | Layer) else None
