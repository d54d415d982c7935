"""The attributes of a class, and the statements of its forward."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from playground.modules.source.expressions import Writer, copies
from playground.modules.source.layout import Brackets, Expression, call, flat, prefixed
from playground.modules.spec import names
from playground.modules.spec.nodes import Block, Layer, Node, type_of
from playground.modules.spec.parts import BlockKind, Shared
from playground.modules.spec.wires import BEFORE, Wire

USED = frozenset({"self", "torch", "nn", "math", "F", "OrderedDict", "super", "sum", "shared"})
SIGNS = {BlockKind.ADD: " + ", BlockKind.MULTIPLY: " * ", BlockKind.TUPLE: ", "}
SPECIAL = {"ReLU": "Relu", "SiLU": "Silu"}  # or the words would be "re" and "lu"
BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
MAX_SUM = 44  # columns, beside the indent and a return
WRITTEN_OUT = {"Item": "index", "Permute": "dims", "Reshape": "shape"}
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
    taken = names.TAKEN | USED | {name for name in own.values() if name is not None}
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
    if isinstance(node, Shared):
        return "shared"
    names_of = {"sequential": "block", "add": "sum", "multiply": "product", "tuple": "outputs"}
    return names_of.get(word, word)


def _free(base: str, taken: set[str] | frozenset[str], is_single: bool) -> str:
    if is_single and base not in taken:
        return base
    number = 1
    while f"{base}{number}" in taken:
        number += 1
    return f"{base}{number}"


class Methods:
    """Writes the children of a block as attributes, and the way of its inputs through them.

    Args:
        writer: Writes what makes a child.
        root: The block, or a single layer.
        path: Where it stands in the network.
        inputs: What forward is given.
        known: Names in use already.

    Attributes:
        attributes: Name and making, in order.
        steps: The statements of forward, with the path that each is about.
        uses_torch: Whether one of them says ``torch.``.
    """

    def __init__(self, writer: Writer, root: Node, path: str, inputs: tuple[str, ...]) -> None:
        self.writer = writer
        self.inputs = inputs
        self.attributes: list[tuple[str, Expression]] = []
        self.steps: list[tuple[Expression, str]] = []
        self.uses_torch = False
        self.called = attribute_names(named_nodes(root, path, writer.variables))
        if not isinstance(root, Block):
            made = self._attribute(root, path)
            self.steps.append((f"return self.{made}({', '.join(inputs)})", path))
        elif root.kind.is_join:
            self.steps.append((prefixed("return ", self._joined(root, path, list(inputs))), path))
        else:
            self._chain(root, path)

    def _chain(self, root: Block, path: str) -> None:
        """One statement per child, and the return."""
        sources = {wire.source for child in root.children for wire in child.inputs}
        keeps = len(self.inputs) > 1 or root.kind is BlockKind.RESIDUAL
        keeps = keeps or any(wire.input_number for c in root.children[1:] for wire in c.inputs)
        running = "Y" if keeps else "X"
        values = {f"#{number}": name for number, name in enumerate(self.inputs, start=1)}
        values[BEFORE] = self.inputs[0]
        for child, own in zip(root.children, root.names(), strict=True):
            below = _below(path, own[0])
            given = [_item(values[wire.source], wire) for wire in child.inputs or (Wire(),)]
            target = self._variable(below) if own[-1] in sources else running
            if child.times > 1 and len(given) > 1:
                self._repeated(child, below, given, target)
            else:
                made = self._output(child, below, given)
                self.steps.append((prefixed(f"{target} = ", made), below))
            values[own[-1]] = values[BEFORE] = target
        if root.kind is BlockKind.RESIDUAL:
            self.steps.append((f"return {self.inputs[0]} + {values[BEFORE]}", path))
        else:
            self._return(values[BEFORE])

    def _variable(self, path: str) -> str:
        """Return the name of the variable that holds a child's output."""
        name = self.called[path]
        return f"{name}_out" if name in {"X", "Y", *self.inputs, *USED} else name

    def _return(self, value: str) -> None:
        """Return the last value; the last statement, where it only names that value."""
        last, path = self.steps[-1] if self.steps else ("", "")
        start = f"{value} = "
        opening = last if isinstance(last, str) else last.opening
        if not opening.startswith(start):
            self.steps.append((f"return {value}", path))
        elif isinstance(last, str):
            self.steps[-1] = (f"return {last.removeprefix(start)}", path)
        else:
            shorter = replace(last, opening=f"return {opening.removeprefix(start)}")
            self.steps[-1] = (shorter, path)

    def _output(self, child: Node, path: str, given: list[str]) -> Expression:
        """Write the output of a child on some values."""
        before = ", ".join(given)
        if isinstance(child, Shared) and child.of in self.called:
            return call(f"self.{self.called[child.of]}", given)
        if isinstance(child, Layer) and self._is_written_out(child, path):
            return _reshaped(child, given[0])
        if isinstance(child, Block) and self._is_written_out(child, path):
            if child.kind.is_join:
                return self._joined(child, path, given)
            return f"{given[0]} + self.{self._attribute(child, path)}({before})"
        return call(f"self.{self._attribute(child, path)}", given)

    def _repeated(self, child: Node, path: str, given: list[str], target: str) -> None:
        """Write copies in a row that are given more than what comes before them."""
        name = self.called[path]
        made = copies(self.writer.making(child, path), child.times)
        whole = call("nn.ModuleList", [replace(made, opening="[", path=path)])
        self.attributes.append((name, replace(whole, path=path)))
        wires = child.inputs
        first = given[[wire.source for wire in wires].index(BEFORE)] if Wire() in wires else None
        if first is not None and first != target:
            self.steps.append((f"{target} = {first}", path))
        inside = [
            target if wire == Wire() else value for wire, value in zip(wires, given, strict=True)
        ]
        self.steps.append((f"for layer in self.{name}:", path))
        self.steps.append((f"    {target} = layer({', '.join(inside)})", path))

    def _joined(self, block: Block, path: str, given: list[str]) -> Expression:
        """Write the joined outputs of a block's branches, or its joined inputs."""
        outputs: list[Expression] = []
        inputs = {f"#{number}": value for number, value in enumerate(given, start=1)}
        inputs[BEFORE] = given[0]
        for child, below, is_copied in _branches(block, path):
            wires = child.inputs or (Wire(),)
            own = ", ".join(_item(inputs[wire.source], wire) for wire in wires)
            if isinstance(child, Shared) and child.of in self.called:
                outputs.append(f"self.{self.called[child.of]}({own})")
                continue
            if (
                isinstance(child, Layer)
                and child.type == "Identity"
                and below not in self.writer.variables
            ):
                outputs.append(own)
                continue
            make = self.writer.making if is_copied else self.writer.node
            self._add(self.called[below], make(child, below), below)
            outputs.append(f"self.{self.called[below]}({own})")
        outputs = outputs or list(given)
        if block.kind is BlockKind.CONCATENATE:
            self.uses_torch = True
            return call("torch.cat", [Brackets("[", tuple(outputs), "]"), f"dim={block.dim}"])
        if block.kind is BlockKind.TUPLE and len(outputs) == 1:
            return f"{flat(outputs[0])},"
        whole = SIGNS[block.kind].join(map(flat, outputs))
        if len(whole) > MAX_SUM and block.kind is BlockKind.TUPLE:
            return Brackets("(", tuple(outputs), ")")
        if len(whole) > MAX_SUM and block.kind is BlockKind.ADD:
            first, *others = outputs
            return call("sum", [Brackets("[", tuple(others), "]"), first])
        return whole

    def _add(self, name: str, made: Expression, path: str) -> None:
        """Note an attribute, unless it was made first since it is shared."""
        if made != f"self.{name}":
            self.attributes.append(
                (name, made if isinstance(made, str) else replace(made, path=path))
            )

    def _attribute(self, child: Node, path: str) -> str:
        """Make a child an attribute; return its name."""
        made: Expression
        if isinstance(child, Block) and self._is_written_out(child, path):
            made = self.writer.container("nn.Sequential", child, path)  # forward adds the input
        else:
            made = self.writer.node(child, path)
        if child.times > 1:
            made = call("nn.Sequential", [copies(made, child.times)])
        self._add(self.called[path], made, path)
        return self.called[path]

    def _is_written_out(self, node: Node, path: str) -> bool:
        return path not in self.writer.variables and is_written_out(node)


def is_written_out(node: Node) -> bool:
    """Return whether forward says itself what a node does, instead of a class of its own."""
    if node.times > 1:
        return False
    if isinstance(node, Layer):
        return node.type in WRITTEN_OUT and set(node.keywords) == {WRITTEN_OUT[node.type]}
    if not isinstance(node, Block):
        return False
    is_wired = node.is_wired and not node.kind.is_join
    return node.kind is not BlockKind.SEQUENTIAL and not is_wired


def named_nodes(
    root: Node, path: str, variables: Container[str] = ()
) -> Iterator[tuple[str, Node]]:
    """Yield the nodes that need names in the class of a block, by path."""
    if not isinstance(root, Block):
        yield path, root
        return
    if root.kind.is_join:
        yield from _named_branches(root, path)
        return
    held: set[str] = set()
    for child, own in zip(root.children, root.names(), strict=True):
        below = _below(path, own[0])
        is_join = isinstance(child, Block) and child.kind.is_join and below not in variables
        if isinstance(child, Block) and is_join and is_written_out(child):
            for inner, node in _named_branches(child, below):
                held.add(inner)
                yield inner, node
        if not (isinstance(child, Shared) and child.of in held):
            held.add(below)
            yield below, child


def _named_branches(block: Block, path: str) -> Iterator[tuple[str, Node]]:
    for child, below, _ in _branches(block, path):
        yield below, child


def _branches(block: Block, path: str) -> Iterator[tuple[Node, str, bool]]:
    """Yield each branch with its path, and whether it is one of several copies."""
    for child, own_names in zip(block.children, block.names(), strict=True):
        for name in own_names:
            yield child, _below(path, name), len(own_names) > 1


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _item(value: str, wire: Wire) -> str:
    return value + "".join(f"[{item}]" for item in wire.items)


def _reshaped(layer: Layer, value: str) -> str:
    """Write what a layer that only changes shape does to a value."""
    given = layer.keywords[WRITTEN_OUT[layer.type]]
    numbers = given if isinstance(given, tuple) else (given,)
    if layer.type == "Item":
        return value + "".join(f"[{number}]" for number in numbers)
    return f"{value}.{layer.type.lower()}({', '.join(map(str, numbers))})"
