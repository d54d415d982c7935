"""A network taken apart into places and what stands in them; two places may hold the same thing.

In a spec, a layer that is used again is named by its path. Here it is simply the same object in
two places, as it is in Python, so that places may come and go without a path going wrong.
"""

from dataclasses import dataclass, field

from playground.errors import InvalidSpecError
from playground.modules.spec.nodes import Block, BlockKind, Layer, Node, Shared


@dataclass(slots=True, eq=False)
class Content:
    """A layer, or a block with places of its own.

    Attributes:
        layer: Without name and times; None for a block.
    """

    layer: Layer | None = None
    kind: BlockKind = BlockKind.SEQUENTIAL
    places: list["Place"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Place:
    """Where something stands.

    Attributes:
        is_holder: It was the first to hold its content when the network was taken apart.
        copies: Which copy is meant where something stands several times, by that place.
    """

    content: Content
    name: str | None = None
    times: int = 1
    is_holder: bool = True
    copies: dict["Place", int] = field(default_factory=dict)

    def again(self) -> "Place":
        """Another place for the same content."""
        return Place(self.content, is_holder=False, copies=dict(self.copies))


def take_apart(node: Node, top: Content | None = None) -> Place:
    """A node as a place; what it shares is looked up in the node itself, or in ``top``."""
    shared: list[tuple[Place, str]] = []
    whole = _take(node, shared)
    within = top or whole.content
    for place, path in shared:
        place.content, place.copies = _find(within, path)
    return whole


def _take(node: Node, shared: list[tuple[Place, str]]) -> Place:
    match node:
        case Shared():
            place = Place(Content(), name=node.name, is_holder=False)
            shared.append((place, node.of))
            return place
        case Layer():
            content = Content(layer=Layer(node.type, node.arguments))
        case Block():
            content = Content(kind=node.kind, places=[_take(c, shared) for c in node.children])
    return Place(content, name=node.name, times=node.times)


def _find(top: Content, path: str) -> tuple[Content, dict[Place, int]]:
    content, copies = top, {}
    for part in path.split("."):
        for place, names in zip(content.places, _names(content), strict=True):
            if part in names:
                copies[place] = names.index(part)
                content = place.content
                break
        else:
            raise InvalidSpecError("spec_unknown_shared", of=path)
    return content, copies


def _names(content: Content) -> tuple[tuple[str, ...], ...]:
    """What the places of a block are called, by the rules of ``Block``."""
    children = (
        Layer("Identity", name=place.name, times=place.times if place.is_holder else 1)
        for place in content.places
    )
    return Block(children).names()


def fresh_copy(place: Place) -> Place:
    """A place with a copy of all that it holds; what it shares with others stays shared."""
    contents: dict[Content, Content] = {}
    places: dict[Place, Place] = {}

    def copy(original: Place) -> Place:
        if original.is_holder:
            content = original.content
            twin = Content(layer=content.layer, kind=content.kind)
            contents[content] = twin
            copied = Place(twin, original.name, original.times)
            places[original] = copied
            twin.places = [copy(child) for child in content.places]
            return copied
        content = contents.get(original.content, original.content)
        copies = {places.get(each, each): copy for each, copy in original.copies.items()}
        return Place(content, original.name, is_holder=False, copies=copies)

    return copy(place)


def assemble(top: Content, like: Block) -> Block:
    """The block that the places make, with the name and times of another.

    Raises:
        InvalidSpecError: A block would stand inside itself, or what ``Block`` refuses.
    """
    trails: dict[Content, tuple[Place, ...]] = {top: ()}
    _settle(top, (), trails)
    children = [_node(place, trails) for place in top.places]
    return Block(children, kind=top.kind, name=like.name, times=like.times)


def _settle(
    content: Content, trail: tuple[Place, ...], trails: dict[Content, tuple[Place, ...]]
) -> None:
    """Let the first place hold each content, and note the way to it."""
    around = {place.content for place in trail}
    for place in content.places:
        if place.content in around:
            raise InvalidSpecError("spec_unknown_shared", of=place.name or "")
        place.is_holder = place.content not in trails
        if place.is_holder:
            trails[place.content] = (*trail, place)
            _settle(place.content, (*trail, place), trails)


def _node(place: Place, trails: dict[Content, tuple[Place, ...]]) -> Node:
    content = place.content
    if not place.is_holder:
        return Shared(_path(trails[content], place, trails), name=place.name)
    if content.layer is not None:
        return Layer(
            content.layer.type, content.layer.arguments, name=place.name, times=place.times
        )
    children = [_node(child, trails) for child in content.places]
    return Block(children, kind=content.kind, name=place.name, times=place.times)


def _path(trail: tuple[Place, ...], place: Place, trails: dict[Content, tuple[Place, ...]]) -> str:
    around = next(content for content, way in trails.items() if not way)
    parts = []
    for each in trail:
        names = _names(around)[around.places.index(each)]
        parts.append(names[min(place.copies.get(each, 0), len(names) - 1)])
        around = each.content
    return ".".join(parts)
