"""The ``__init__`` and ``forward`` of a network's class, and the names of its attributes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from playground.modules.source.expressions import Writer, copies
from playground.modules.source.layout import Brackets, Expression, call, prefixed
from playground.modules.spec import names
from playground.modules.spec.nodes import Block, Node, type_of
from playground.modules.spec.parts import BlockKind, Shared

SPECIAL = {"ReLU": "Relu", "SiLU": "Silu"}  # or the words would be "re" and "lu"
BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
RANK = re.compile(r"\d+d$")


def attribute_names(nodes: Iterable[tuple[str, Node]]) -> dict[str, str]:
    """Choose a unique name for each node, by path; none is an attribute of ``nn.Module``.

    >>> from playground.modules.spec.nodes import Layer
    >>> attribute_names([("0", Layer("Linear")), ("1", Layer("ReLU")), ("2", Layer("Linear"))])
    {'0': 'linear1', '1': 'relu', '2': 'linear2'}
    """
    listed = list(nodes)
    own = {path: _own_name(node) for path, node in listed}
    bases = Counter(_base(node) for path, node in listed if own[path] is None)
    taken = names.TAKEN | {name for name in own.values() if name is not None}
    called: dict[str, str] = {}
    given: set[str] = set()
    for path, node in listed:
        name = own[path]
        if name is None or name in given:
            base = name or _base(node)
            is_single = name is None and bases[base] == 1
            name = _free(base, taken | given, is_single)
        given.add(name)
        called[path] = name
    return called


def _own_name(node: Node) -> str | None:
    if node.name is None or not names.is_identifier(node.name):
        return None  # a number is no attribute
    return node.name


def _base(node: Node) -> str:
    kind = type_of(node)
    for odd, word in SPECIAL.items():
        kind = kind.replace(odd, word)
    word = BORDER.sub("_", RANK.sub("", kind)).lower()
    return "shared" if isinstance(node, Shared) else "layers" if _is_plain_block(node) else word


def _is_plain_block(node: Node) -> bool:
    return isinstance(node, Block) and type_of(node) == "sequential"


def _free(base: str, taken: set[str] | frozenset[str], is_single: bool) -> str:
    if is_single and base not in taken:
        return base
    number = 1
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"


class Methods:
    """Writes the root's children as attributes, and the way of an input through them.

    Args:
        writer: Writes what makes a child.
        root: The whole network.
        inputs: What forward is given.

    Attributes:
        attributes: Name and making, in order.
        steps: The statements of forward.
        uses_torch: Whether one of them says ``torch.``.
    """

    def __init__(self, writer: Writer, root: Node, inputs: tuple[str, ...]) -> None:
        self.writer = writer
        self.attributes: list[tuple[str, Expression]] = []
        self.steps: list[Expression] = []
        self.uses_torch = False
        self.called = attribute_names(self._holders(root))
        if not isinstance(root, Block):
            made = self._attribute(root, "")
            self.steps.append(f"return self.{made}({', '.join(inputs)})")
        elif root.kind is BlockKind.CONCATENATE:
            self.steps.append(prefixed("return ", self._joined(root, "", "X")))
        else:
            self._chain(root)

    def _chain(self, root: Block) -> None:
        """One statement per child; a residual root keeps its input for the end."""
        is_residual = root.kind is BlockKind.RESIDUAL
        running, before = ("Y" if is_residual else "X"), "X"
        results: list[Expression] = []
        for child, own_names in zip(root.children, root.names(), strict=True):
            results.append(self._step(child, own_names[0], before))
            before = running
        if is_residual or not results:
            results.append(f"X + {before}" if is_residual else before)
        self.steps += [prefixed(f"{running} = ", result) for result in results[:-1]]
        self.steps.append(prefixed("return ", results[-1]))

    def _step(self, child: Node, path: str, before: str) -> Expression:
        """Write the call of a child with the result before it."""
        if isinstance(child, Shared) and child.of in self.called:
            return f"self.{self.called[child.of]}({before})"
        if isinstance(child, Block) and self._is_written_out(child, path):
            if child.kind is BlockKind.CONCATENATE:
                return self._joined(child, path, before)
            return f"{before} + self.{self._attribute(child, path)}({before})"
        return f"self.{self._attribute(child, path)}({before})"

    def _joined(self, block: Block, path: str, before: str) -> Brackets:
        """Write the concatenation of a block's branches."""
        self.uses_torch = True
        branches: list[Expression] = []
        for child, below, is_copied in _branches(block, path):
            if isinstance(child, Shared) and child.of in self.called:
                branches.append(f"self.{self.called[child.of]}({before})")
                continue
            make = self.writer.making if is_copied else self.writer.node
            self.attributes.append((self.called[below], make(child, below)))
            branches.append(f"self.{self.called[below]}({before})")
        return call("torch.cat", [Brackets("[", tuple(branches), "]"), "dim=1"])

    def _attribute(self, child: Node, path: str) -> str:
        """Make a child an attribute; the attribute's name."""
        made: Expression
        if isinstance(child, Block) and self._is_written_out(child, path):
            made = self.writer.container("nn.Sequential", child, path)  # forward adds the input
        else:
            made = self.writer.node(child, path)
        if child.times > 1:
            made = call("nn.Sequential", [copies(made, child.times)])
        self.attributes.append((self.called[path], made))
        return self.called[path]

    def _is_written_out(self, block: Block, path: str) -> bool:
        """Return whether forward says itself what a block does, instead of a class of its own."""
        is_single = block.times == 1 and path not in self.writer.variables
        return is_single and block.kind is not BlockKind.SEQUENTIAL

    def _holders(self, root: Node) -> Iterator[tuple[str, Node]]:
        """Yield the nodes that become attributes, by path."""
        if not isinstance(root, Block):
            yield "", root
            return
        if root.kind is BlockKind.CONCATENATE:
            yield from self._held_branches(root, "")
            return
        held: set[str] = set()
        for child, own_names in zip(root.children, root.names(), strict=True):
            path = own_names[0]
            is_concatenate = isinstance(child, Block) and child.kind is BlockKind.CONCATENATE
            if isinstance(child, Block) and is_concatenate and self._is_written_out(child, path):
                for below, node in self._held_branches(child, path):
                    held.add(below)
                    yield below, node
                continue
            if not (isinstance(child, Shared) and child.of in held):
                held.add(path)
                yield path, child

    def _held_branches(self, block: Block, path: str) -> Iterator[tuple[str, Node]]:
        for child, below, _ in _branches(block, path):
            yield below, child


def _branches(block: Block, path: str) -> Iterator[tuple[Node, str, bool]]:
    """Yield each branch with its path, and whether it is one of several copies."""
    for child, own_names in zip(block.children, block.names(), strict=True):
        for name in own_names:
            yield child, f"{path}.{name}" if path else name, len(own_names) > 1
