"""A mutable tree of a network for edits, in which two slots may hold the same content.

In a spec, a shared layer is named by its path. Here it is the same object in two slots, as it is in
Python, so slots can be inserted and removed without invalidating a path.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from playground.errors import InvalidSpecError
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Shared
from playground.modules.spec.wires import BEFORE, Wire


@dataclass(slots=True, eq=False)
class Content:
    """A layer, or a block with slots of its own.

    Attributes:
        layer: Without name and times; None for a block.
    """

    layer: Layer | None = None
    kind: BlockKind = BlockKind.SEQUENTIAL
    dim: int = 1
    slots: list["Slot"] = field(default_factory=list)


SlotWire: TypeAlias = "tuple[Slot | str, tuple[int, ...]]"


@dataclass(slots=True, eq=False)
class Slot:
    """A position in the tree.

    Attributes:
        is_holder: It was the first to hold its content when the network was taken apart.
        copies: Which copy is meant where something stands several times, by that slot.
        inputs: Its wires; one that leads to a node has that node's slot, so that it still leads
            there when names change.
    """

    content: Content
    name: str | None = None
    times: int = 1
    is_holder: bool = True
    copies: dict["Slot", int] = field(default_factory=dict)
    inputs: list[tuple["Slot | str", tuple[int, ...]]] = field(default_factory=list)

    def again(self) -> "Slot":
        """Return another slot for the same content."""
        copies, inputs = dict(self.copies), list(self.inputs)
        return Slot(self.content, is_holder=False, copies=copies, inputs=inputs)


def take_apart(node: Node, top: Content | None = None) -> Slot:
    """Convert a node to a slot; shared nodes are looked up in the node itself, or in ``top``."""
    shared: list[tuple[Slot, str]] = []
    whole = _take(node, shared)
    within = top or whole.content
    for slot, path in shared:
        slot.content, slot.copies = _find(within, path)
    return whole


def _take(node: Node, shared: list[tuple[Slot, str]]) -> Slot:
    match node:
        case Shared():
            slot = Slot(Content(), name=node.name, is_holder=False)
            shared.append((slot, node.of))
            return slot
        case Layer():
            content = Content(layer=Layer(node.type, node.arguments))
        case Block():
            slots = [_take(child, shared) for child in node.children]
            content = Content(kind=node.kind, dim=node.dim, slots=slots)
            named = {own[-1]: slot for own, slot in zip(node.names(), slots, strict=True)}
            for child, slot in zip(node.children, slots, strict=True):
                slot.inputs = [
                    (named.get(wire.source, wire.source), wire.items) for wire in child.inputs
                ]
    return Slot(content, name=node.name, times=node.times)


def _find(top: Content, path: str) -> tuple[Content, dict[Slot, int]]:
    content, copies = top, {}
    for part in path.split("."):
        for slot, names in zip(content.slots, _names(content), strict=True):
            if part in names:
                copies[slot] = names.index(part)
                content = slot.content
                break
        else:
            raise InvalidSpecError("spec_unknown_shared", of=path)
    return content, copies


def _names(content: Content) -> tuple[tuple[str, ...], ...]:
    """Return the names of a block's slots, by the rules of ``Block``."""
    children = (
        Layer("Identity", name=slot.name, times=slot.times if slot.is_holder else 1)
        for slot in content.slots
    )
    return Block(children).names()


def wired(content: Content, index: int, wires: Iterable[Wire]) -> list[SlotWire]:
    """Return wires of a slot at an index of a block, as they lead to the slots before it."""
    named = {own[-1]: slot for own, slot in zip(_names(content), content.slots, strict=True)}
    known = set(content.slots[:index])
    found: list[SlotWire] = []
    for wire in wires:
        slot = named.get(wire.source)
        if wire.source != BEFORE and wire.input_number is None and slot not in known:
            raise InvalidSpecError("spec_unknown_wire", wire=str(wire))
        found.append((slot if slot in known else wire.source, wire.items))
    return found


def fresh_copy(slot: Slot) -> Slot:
    """Copy a slot with its content; content shared with other slots stays shared."""
    contents: dict[Content, Content] = {}
    slots: dict[Slot, Slot] = {}

    def copy(original: Slot) -> Slot:
        if original.is_holder:
            content = original.content
            twin = Content(layer=content.layer, kind=content.kind, dim=content.dim)
            contents[content] = twin
            copied = Slot(twin, original.name, original.times, inputs=list(original.inputs))
            slots[original] = copied
            twin.slots = [copy(child) for child in content.slots]
            for slot in twin.slots:
                slot.inputs = [
                    (slots.get(source, source) if isinstance(source, Slot) else source, items)
                    for source, items in slot.inputs
                ]
            return copied
        content = contents.get(original.content, original.content)
        copies = {slots.get(each, each): copy for each, copy in original.copies.items()}
        slots[original] = copied = Slot(
            content, original.name, is_holder=False, copies=copies, inputs=list(original.inputs)
        )
        return copied

    return copy(slot)


def assemble(top: Content, like: Block) -> Block:
    """Convert the slots back to a block, with the name and times of another.

    Raises:
        InvalidSpecError: A block would stand inside itself, or what ``Block`` refuses.
    """
    trails: dict[Content, tuple[Slot, ...]] = {top: ()}
    _settle(top, (), trails)
    children = _nodes(top, trails)
    return Block(children, kind=top.kind, name=like.name, times=like.times, dim=top.dim)


def _settle(
    content: Content, trail: tuple[Slot, ...], trails: dict[Content, tuple[Slot, ...]]
) -> None:
    """Make the first slot of each content its holder, and note the path to it."""
    around = {slot.content for slot in trail}
    for slot in content.slots:
        if slot.content in around:
            raise InvalidSpecError("spec_unknown_shared", of=slot.name or "")
        slot.is_holder = slot.content not in trails
        if slot.is_holder:
            trails[slot.content] = (*trail, slot)
            _settle(slot.content, (*trail, slot), trails)


def _nodes(content: Content, trails: dict[Content, tuple[Slot, ...]]) -> list[Node]:
    """Convert the slots of a block; a wire to what is gone, or now comes later, is set back."""
    earlier: dict[Slot, str] = {}
    nodes = []
    for slot, own in zip(content.slots, _names(content), strict=True):
        wires = [_wire(source, items, earlier) for source, items in slot.inputs]
        nodes.append(_node(slot, wires, trails))
        if not content.kind.is_join:
            earlier[slot] = own[-1]
    return nodes


def _wire(source: Slot | str, items: tuple[int, ...], earlier: dict[Slot, str]) -> Wire:
    if not isinstance(source, Slot):
        return Wire(source, items)
    return Wire(earlier[source], items) if source in earlier else Wire()


def _node(slot: Slot, wires: list[Wire], trails: dict[Content, tuple[Slot, ...]]) -> Node:
    content = slot.content
    if not slot.is_holder:
        return Shared(_path(trails[content], slot, trails), name=slot.name, inputs=tuple(wires))
    place: dict[str, Any] = {"name": slot.name, "times": slot.times, "inputs": wires}
    if content.layer is not None:
        return Layer(content.layer.type, content.layer.arguments, **place)
    return Block(_nodes(content, trails), kind=content.kind, dim=content.dim, **place)


def _path(trail: tuple[Slot, ...], slot: Slot, trails: dict[Content, tuple[Slot, ...]]) -> str:
    around = next(content for content, way in trails.items() if not way)
    parts = []
    for each in trail:
        names = _names(around)[around.slots.index(each)]
        parts.append(names[min(slot.copies.get(each, 0), len(names) - 1)])
        around = each.content
    return ".".join(parts)
