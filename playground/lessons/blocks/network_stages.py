"""The way of a batch through a network: its layers and blocks by path, and a stage per call."""

from collections.abc import Iterator
from itertools import zip_longest

from playground.lessons.blocks.pictures import Stage
from playground.modules.spec import Block, BlockKind, Layer, Network, Shared
from playground.modules.trace_types import ForwardTrace, Shape

SIGNS = {BlockKind.RESIDUAL: "+ input", BlockKind.CONCATENATE: "cat"}


def leaves(node: Block | Layer | Shared, prefix: str = "") -> Iterator[tuple[str, Layer]]:
    """Return every layer with its path, each copy by itself; reused layers are left out."""
    if isinstance(node, Layer):
        yield prefix, node
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                yield from leaves(child, f"{prefix}.{name}" if prefix else name)


def blocks(node: Block | Layer | Shared, prefix: str = "") -> Iterator[tuple[str, BlockKind]]:
    """Return every nested block with its path and its kind."""
    if isinstance(node, Block):
        for child, names in zip(node.children, node.names(), strict=True):
            for name in names:
                path = f"{prefix}.{name}" if prefix else name
                if isinstance(child, Block):
                    yield path, child.kind
                    yield from blocks(child, path)


def ends(node: Block | Layer | Shared) -> set[str]:
    """Return the paths of everything that is no block, including reused layers."""
    found = set()
    if not isinstance(node, Block):
        return {""}
    for child, names in zip(node.children, node.names(), strict=True):
        for name in names:
            found |= {f"{name}.{rest}".rstrip(".") for rest in ends(child)}
    return found


def stages(spec: Network, trace: ForwardTrace) -> Iterator[Stage]:
    """Return the calls of the network's layers in order, and how blocks change their outputs."""
    kinds, own = dict(blocks(spec.block)), ends(spec.block)
    calls = [row for row in trace.rows if row.path in own]
    for row, following in zip_longest(calls, calls[1:]):
        around = [path for path in kinds if row.path.startswith(f"{path}.")]
        left = [p for p in around if following is None or not following.path.startswith(f"{p}.")]
        joined = () if not row.has_returned else tuple(_joined(left[::-1], kinds, trace))
        again = "↻ " if row.call > 1 else ""
        yield Stage(
            label=f"{again}{row.type_name}",
            path=row.path,
            shape=text(row.output_shapes[0]) if row.has_returned and row.output_shapes else "",
            note=f"{row.total_parameters:,}" if row.total_parameters and row.call == 1 else "",
            joined=joined,
            depth=len(around),
            has_parameters=row.total_parameters > 0,
            is_failing=not row.has_returned,
        )


def _joined(paths: list[str], kinds: dict[str, BlockKind], trace: ForwardTrace) -> Iterator[str]:
    for path in paths:
        row = trace.at(path)
        if row is not None and kinds[path] in SIGNS:
            shape = text(row.output_shapes[0]) if row.has_returned and row.output_shapes else "✗"
            yield f"{SIGNS[kinds[path]]} → {shape}"


def text(shape: Shape) -> str:
    """Format a shape as torch does."""
    return str(tuple(shape))
