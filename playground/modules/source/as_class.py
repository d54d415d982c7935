"""A network as a class with ``__init__`` and ``forward``."""

from playground.errors import InvalidSpecError
from playground.modules import custom_source
from playground.modules.source.as_sequential import made_first, variable_names
from playground.modules.source.expressions import Writer
from playground.modules.source.layout import lines, prefixed
from playground.modules.source.methods import Methods
from playground.modules.source.program import input_names, inputs_of, program
from playground.modules.spec import names
from playground.modules.spec.network import Network
from playground.modules.spec.nodes import Block, Node
from playground.modules.spec.sharing import root_of, shared_nodes

RESERVED = {"OrderedDict", "Tensor", "F", "nn", "torch", "net", "super", "str", "range", "X", "Y"}


def as_class(
    spec: Node | Network, name: str = "Net", *, seed: int | None = None, run: bool = False
) -> str:
    """Write the program that makes ``net`` of a class of its own.

    Args:
        spec: A layer, a block or a network.
        name: What the class is called.
        seed: Written as ``torch.manual_seed(seed)``; without one, nothing is.
        run: Whether to call the network in the end, with inputs as the ``Network`` tells them.

    Raises:
        InvalidSpecError: A place shares what is not there, or no class can be called so.

    >>> from playground.modules.spec import Block, Layer
    >>> print(as_class(Block([Layer("Flatten"), Layer("ReLU")])))
    from torch import nn
    <BLANKLINE>
    <BLANKLINE>
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.flatten = nn.Flatten()
            self.relu = nn.ReLU()
    <BLANKLINE>
        def forward(self, X):
            X = self.flatten(X)
            return self.relu(X)
    <BLANKLINE>
    <BLANKLINE>
    net = Net()
    <BLANKLINE>
    """
    taken = RESERVED | set(custom_source.FILES)
    if not names.is_identifier(name) or name in taken or len(name) > names.MOST_CHARACTERS:
        raise InvalidSpecError("spec_name", name=name[: names.MOST_CHARACTERS])
    root = root_of(spec)
    shared = shared_nodes(root)
    writer = Writer(variable_names(shared))
    making = [line for path, node in shared.items() for line in made_first(writer, path, node, 2)]
    inputs = _inputs(spec, root)
    methods = Methods(writer, root, inputs)
    for attribute, made in methods.attributes:
        making += lines(prefixed(f"self.{attribute} = ", made), indent=2)
    calls = [line for step in methods.steps for line in lines(step, indent=2)]
    text = [
        f"class {name}(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *making,
        "",
        f"    def forward(self, {', '.join(inputs)}):",
        *calls,
    ]
    run_with = inputs_of(spec, run)
    makes = [f"net = {name}()"]
    return program(
        makes, writer, definition=text, uses_torch=methods.uses_torch, seed=seed, run=run_with
    )


def _inputs(spec: Node | Network, root: Node) -> tuple[str, ...]:
    if isinstance(root, Block):
        return ("X",)  # more than one is refused, as by nn.Sequential
    return input_names(len(spec.input)) if isinstance(spec, Network) else ("*inputs",)
