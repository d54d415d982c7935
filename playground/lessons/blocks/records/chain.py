"""The way of a batch through a network, layer by layer, as the builder draws it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest

from playground.modules.forward_trace import ForwardTrace, Shape, TraceRow
from playground.modules.spec import Block, BlockKind, Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """Where a block adds its input, or joins its branches.

    Attributes:
        output_shape: What came out of it; None where that failed.
    """

    path: str
    kind: BlockKind
    output_shape: Shape | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One layer on the way.

    Attributes:
        blocks: The paths of the blocks around it, the outermost first.
        kinds: What kinds of block these are.
        input_shape: What came in; None where that is not one tensor.
        output_shape: What came out; None where the layer failed, or gave something else.
        is_failing: The forward ended here.
        is_again: It was called before.
        starts_branch: A further branch begins here, with the input of its block.
        joints: What blocks that end here make of it, the innermost first.
    """

    path: str
    type_name: str
    blocks: tuple[str, ...]
    kinds: tuple[BlockKind, ...]
    input_shape: Shape | None
    output_shape: Shape | None
    own_parameters: int
    multiply_adds: int | None
    is_failing: bool
    is_again: bool
    starts_branch: bool = False
    joints: tuple[Joint, ...] = ()


def chain(network: Network, trace: ForwardTrace) -> tuple[Link, ...]:
    """The calls of the network's own layers, in order; what is inside of one is not shown."""
    leaves, kinds = _nodes(network)
    links = []
    for place, row in enumerate(trace.rows):
        path = _stands_for(row.path, leaves)
        if path is None or path != row.path:
            continue
        blocks = tuple(each for each in _prefixes(path) if each in kinds)
        links.append(
            Link(
                path=path,
                type_name=row.type_name,
                blocks=blocks,
                kinds=tuple(kinds[each] for each in blocks),
                input_shape=_only(row.input_shapes),
                output_shape=_only(row.output_shapes) if row.has_returned else None,
                own_parameters=row.total_parameters,
                multiply_adds=_multiply_adds(trace.rows[place:]),
                is_failing=not row.has_returned,
                is_again=row.call > 1,
            )
        )
    return tuple(_joined(links, kinds, trace))


def _joined(links: list[Link], kinds: dict[str, BlockKind], trace: ForwardTrace) -> Iterator[Link]:
    """The same links, with what happens between them."""
    met: set[str] = set()
    for link, following in zip_longest(links, links[1:]):
        branches = [
            branch
            for block, branch in zip(link.blocks, (*link.blocks, link.path)[1:], strict=True)
            if kinds[block] is BlockKind.CONCATENATE
        ]
        is_first = {branch.rpartition(".")[0] for branch in branches}.isdisjoint(
            each.rpartition(".")[0] for each in met
        )
        is_new = any(branch not in met for branch in branches)
        met.update(branches)
        ended = [each for each in link.blocks if following is None or each not in following.blocks]
        yield replace(
            link,
            starts_branch=is_new and not is_first,
            joints=() if link.is_failing else tuple(_joints(reversed(ended), kinds, trace)),
        )


def _joints(
    ended: Iterable[str], kinds: dict[str, BlockKind], trace: ForwardTrace
) -> Iterator[Joint]:
    for path in ended:
        row = next((row for row in trace.rows if row.path == path), None)
        if row is not None and kinds[path] is not BlockKind.SEQUENTIAL:
            shape = _only(row.output_shapes) if row.has_returned else None
            yield Joint(path=path, kind=kinds[path], output_shape=shape)


def shape_text(shape: Shape) -> str:
    """A shape as torch writes it.

    >>> shape_text((2, 256)), shape_text((3,))
    ('(2, 256)', '(3,)')
    """
    return str(tuple(shape))


def _nodes(network: Network) -> tuple[set[str], dict[str, BlockKind]]:
    """The paths of all layers, and of all blocks but the outermost, every copy of them."""
    leaves: set[str] = set()
    kinds: dict[str, BlockKind] = {}

    def collect(block: Block, prefix: str) -> None:
        for child, names in zip(block.children, block.names(), strict=True):
            for name in names:
                path = f"{prefix}{name}"
                if isinstance(child, Block):
                    kinds[path] = child.kind
                    collect(child, f"{path}.")
                else:
                    leaves.add(path)

    if isinstance(network.block, Block):
        collect(network.block, "")
    else:
        leaves.add("")
    return leaves, kinds


def _stands_for(path: str, leaves: set[str]) -> str | None:
    """The layer of the network that a call belongs to."""
    if "" in leaves:
        return ""
    return next((each for each in (*_prefixes(path), path) if each in leaves), None)


def _prefixes(path: str) -> tuple[str, ...]:
    parts = path.split(".")
    return tuple(".".join(parts[:count]) for count in range(1, len(parts)))


def _only(shapes: tuple[Shape, ...]) -> Shape | None:
    return shapes[0] if shapes else None


def _multiply_adds(rows: Sequence[TraceRow]) -> int | None:
    """Of the first call, with all calls inside it; None where none of them is known."""
    first, following = rows[0], rows[1:]
    inside = [first, *takewhile(lambda row: row.depth > first.depth, following)]
    counts = [row.multiply_adds for row in inside]
    known = [each for each in counts if each is not None]
    return sum(known) if known else None
