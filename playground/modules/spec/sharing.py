"""Which nodes of a network are used again elsewhere; knows no torch."""

from dataclasses import dataclass

from playground.errors import InvalidSpecError
from playground.modules.spec.network import Network, check_root
from playground.modules.spec.nodes import Block, Node, Shared


@dataclass(slots=True)
class _Walk:
    """What has been met on the way so far, in the order in which it was complete."""

    complete: dict[str, Node]
    repeated: set[str]
    shared: set[str]


def root_of(spec: Node | Network) -> Node:
    """The node that is built.

    Raises:
        InvalidSpecError: It cannot stand alone.
    """
    node = spec.block if isinstance(spec, Network) else spec
    if not isinstance(node, Node):
        raise InvalidSpecError("spec_not_network")
    check_root(node)
    return node


def shared_nodes(root: Node) -> dict[str, Node]:
    """The nodes that another place shares, by path; an inner one before the one around it.

    This is the order in which a program makes them: first what it needs in several places, as
    variables, then all the rest.

    Raises:
        InvalidSpecError: A place shares what does not come before it, or what stands repeatedly.

    >>> from playground.modules.spec.nodes import Layer
    >>> list(shared_nodes(Block([Layer("ReLU"), Layer("Tanh"), Shared("0")])))
    ['0']
    """
    walk = _Walk({}, set(), set())
    _visit(root, "", False, walk)
    return {path: node for path, node in walk.complete.items() if path in walk.shared}


def _visit(node: Node, path: str, is_repeated: bool, walk: _Walk) -> None:
    if isinstance(node, Shared):
        _resolve(node, path, walk)
        return
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                below = f"{path}.{name}" if path else name
                _visit(child, below, is_repeated or len(names) > 1, walk)
    if path:
        walk.complete[path] = node
        if is_repeated:
            walk.repeated.add(path)


def _resolve(node: Shared, path: str, walk: _Walk) -> None:
    if node.of not in walk.complete:
        raise InvalidSpecError("spec_unknown_shared", path=path, type="Shared", of=node.of)
    if node.of in walk.repeated:
        raise InvalidSpecError("spec_shared_repeated", path=path, type="Shared", of=node.of)
    walk.shared.add(node.of)
