"""Changes that may let a failing network run, the likeliest first."""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from playground.errors import InvalidSpecError
from playground.modules import catalogue
from playground.modules.fix_edits import put_before, with_shortcut
from playground.modules.graph import arguments_text
from playground.modules.spec import edit
from playground.modules.spec.addresses import Address, address_of
from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Shared, Value
from playground.modules.trace_types import ForwardTrace, Group, Shape, TraceRow
from playground.modules.workbench_types import Step

IMAGE_DIMS = 4  # batch, channels, height, width
VOCABULARY = 100
Candidate = tuple[tuple[Step, ...], Network]


def root_of(network: Network) -> Block:
    """Return the outermost block of a network; a single layer is a block with one child here."""
    return network.block if isinstance(network.block, Block) else Block([network.block])


def candidates(network: Network, trace: ForwardTrace) -> Iterator[Candidate]:
    """Yield changes that may help, the likeliest first; the last takes the failing node out."""
    root = root_of(network)
    rows = [row for row in trace.rows if not row.has_returned]
    row = rows[-1] if rows else None
    path = trace.failed_at or ""
    place = address_of(root, path)
    with suppress(InvalidSpecError):  # a full network has no room for another layer
        for steps, changed in _for_failure(root, network, trace, row, place):
            with suppress(InvalidSpecError):
                whole = changed if isinstance(changed, Network) else Network(changed, network.input)
                yield steps, whole
    if place is None and len(network.input) > 1 and not root.is_wired:
        yield (("one-input", ()),), Network(root, network.input[:1])
    if place is not None:
        yield ((_step("remove", layer=_label(root, place)),), _input_kept(root, place, network))
    for end in range(len(root.children) - 1, -1, -1):
        yield ((_step("remove", layer=_label(root, (end,))),), _input_kept(root, (end,), network))


def _input_kept(root: Block, place: Address, network: Network) -> Network:
    return Network(edit.remove(root, place), network.input)


Change = tuple[tuple[Step, ...], "Block | Network"]


def _for_failure(
    root: Block,
    network: Network,
    trace: ForwardTrace,
    row: TraceRow | None,
    place: Address | None,
) -> Iterator[Change]:
    if row is None:
        return
    node = edit.node_at(root, place) if place else root
    if isinstance(node, Block):
        yield from _for_block(root, node, place or (), trace, row)
        return
    if place is None:
        return
    layer: Node = node
    if isinstance(node, Shared):
        held = address_of(root, node.of)
        layer = edit.node_at(root, held) if held else node
    if not isinstance(layer, Layer):
        return
    given = row.inputs.items[0] if row.inputs.items else None
    yield from _for_kind(root, network, layer, place, row)
    if isinstance(given, Group):
        yield (_step("item", layer=_label(root, place)),), _before(root, place, _item())
        return
    shape = row.input_shapes[0] if row.input_shapes else ()
    yield from _for_inputs(root, network, layer, place)
    yield from _for_sizes(root, layer, place, trace, shape)
    yield from _for_rank(root, layer, place, shape)


def _for_kind(
    root: Block, network: Network, layer: Layer, place: Address, row: TraceRow
) -> Iterator[Change]:
    """Give tokens where floats are given, and the other way round."""
    takes_tokens = layer.type in ("Embedding", "EmbeddingBag")
    first = network.input[0]
    if takes_tokens and first.kind is InputKind.FLOAT:
        rows = layer.keywords.get("num_embeddings", VOCABULARY)
        below = rows if isinstance(rows, int) and rows > 0 else VOCABULARY
        shape = first.shape if len(first.shape) < 3 else first.shape[:2]
        tokens = InputSpec(shape, InputKind.TOKENS, below)
        yield (_step("tokens", below=str(below)),), Network(root, (tokens, *network.input[1:]))
    if (
        not takes_tokens
        and first.kind is InputKind.TOKENS
        and "embedding" not in root.to_json().lower()
    ):
        width = row.input_shapes[0][-1] if row.input_shapes else 1
        size = layer.keywords.get("in_features", layer.keywords.get("embed_dim", 16))
        made = {
            "num_embeddings": first.below,
            "embedding_dim": size if isinstance(size, int) else width,
        }
        step = _step("embed", layer=_label(root, place))
        yield (step,), _before(root, place, Layer("Embedding", made))
    if not takes_tokens and first.kind is InputKind.TOKENS:
        yield (_step("floats"),), Network(root, (InputSpec(first.shape), *network.input[1:]))


def _for_inputs(root: Block, network: Network, layer: Layer, place: Address) -> Iterator[Change]:
    """Give several inputs where one is given."""
    wanted = input_count(layer.type)
    node = edit.node_at(root, place)
    if len(node.inputs or ("-",)) == wanted or wanted < 2:
        return
    if len(network.input) == wanted and len(place) == 1:
        own = [f"#{number}" for number in range(1, wanted + 1)]
        yield (_step("wires", layer=layer.type),), edit.set_inputs(root, place, own)
    yield (_step("wires", layer=layer.type),), edit.set_inputs(root, place, ["-"] * wanted)


def input_count(type: str) -> int:
    """Return how many inputs a layer needs; 1 for a layer of our own."""
    try:
        return len(catalogue.layer(type).example_inputs) or 1
    except KeyError:
        return 1


def _for_sizes(
    root: Block, layer: Layer, place: Address, trace: ForwardTrace, shape: Shape
) -> Iterator[Change]:
    advice = trace.suggestion
    node = edit.node_at(root, place)
    if (sizes := bilinear_sizes(layer, trace)) is not None:
        yield (
            (_step("argument", layer=_label(root, place), **sizes[0]),),
            edit.set_arguments(root, place, sizes[1]),
        )
    is_again = isinstance(node, Shared) or node.times > 1
    outputs = layer.keywords.get("in_features", layer.keywords.get("in_channels"))
    name = "out_features" if "in_features" in layer.keywords else "out_channels"
    if is_again and isinstance(outputs, int) and name in layer.keywords:
        held = address_of(root, node.of) if isinstance(node, Shared) else place
        step, changed = with_argument(root, held or place, name, outputs)
        yield (step,), changed
        if isinstance(node, Shared):
            fresh = Layer(layer.type, layer.arguments, inputs=node.inputs)
            yield (_step("unshare", layer=layer.type),), _replaced(root, place, fresh)
        elif node.times > 1:
            yield (_step("once", layer=layer.type),), edit.repeat(root, place, 1)
    is_features = advice is not None and advice.argument == "in_features"
    if (
        advice is not None
        and advice.insert == "Flatten"
        or (is_features and len(shape) >= IMAGE_DIMS)
    ):
        yield (_step("flatten", layer=_label(root, place)),), _before(root, place, Layer("Flatten"))
    if advice is not None and advice.argument and not is_again:
        step, changed = with_argument(root, place, advice.argument, advice.value)
        yield (step,), changed
    if is_features and len(shape) == 3:
        yield (_step("flatten", layer=_label(root, place)),), _before(root, place, Layer("Flatten"))


def bilinear_sizes(
    layer: Layer, trace: ForwardTrace
) -> tuple[dict[str, str], dict[str, Value]] | None:
    """Return both sizes of a Bilinear, which asks for one at a time; None for another layer."""
    row = trace.rows[-1] if trace.rows else None
    if layer.type != "Bilinear" or row is None or len(row.input_shapes) != 2:
        return None
    if not all(row.input_shapes):  # a scalar has no features
        return None
    first, second = (shape[-1] for shape in row.input_shapes)
    given = {**layer.keywords, "in1_features": first, "in2_features": second}
    return {"argument": "in1_features, in2_features", "value": f"{first}, {second}"}, given


def _for_rank(root: Block, layer: Layer, place: Address, shape: Shape) -> Iterator[Change]:
    """Change the number of dimensions, or a kernel that is larger than its input."""
    kernel = layer.keywords.get("kernel_size")
    dims = next((int(word) for word in "123" if layer.type.endswith(f"{word}d")), 0)
    if kernel is not None and dims and len(shape) > dims:
        least = min(shape[-dims:])
        step, changed = with_argument(
            root, place, "kernel_size", max(1, min(least, _largest(kernel)))
        )
        yield (step,), changed
        step, changed = with_argument(root, place, "kernel_size", 1)
        yield (step,), changed
    if dims and len(shape) == 2:
        channels = layer.keywords.get("in_channels", layer.keywords.get("num_features", 1))
        sizes = _unflattened(shape[1], channels if isinstance(channels, int) else 1, dims)
        made = _unflatten(sizes)
        step = _step("unflatten", sizes=str(sizes), layer=_label(root, place))
        yield (step,), _before(root, place, made)
    if dims and len(shape) > 2 and len(shape) != dims + 2:
        total = math.prod(shape[1:])
        made = _unflatten(sizes := (*(1,) * dims, total))
        changed = _before(_before(root, place, made), place, Layer("Flatten"))
        yield (_step("unflatten", sizes=str(sizes), layer=_label(root, place)),), changed
    if len(shape) > 2 and layer.type not in ("Flatten",):
        yield (_step("flatten", layer=_label(root, place)),), _before(root, place, Layer("Flatten"))


def _for_block(
    root: Block, block: Block, place: Address, trace: ForwardTrace, row: TraceRow
) -> Iterator[Change]:
    """Fix outputs that cannot be added or joined."""
    last = trace.rows[-1]
    shape = row.input_shapes[0] if row.input_shapes else ()
    if place:
        padded = _padded(root, place, block)
        if padded != root:
            yield (_step("padding"),), padded
    if block.kind is BlockKind.RESIDUAL and place and last.output_shapes and shape:
        made = _shortcut(shape, last.output_shapes[0])
        if made is not None:
            said = f"{made.type}({arguments_text(made)})"
            yield (_step("shortcut", layer=said),), with_shortcut(root, place, made)
    joins = [each for each in edit.walk(root) if each[0][: len(place)] == place]
    for address, node in joins:
        if isinstance(node, Block) and node.kind is BlockKind.CONCATENATE and not node.children:
            for dim in (1, 2, -1):
                yield (_step("dim", dim=str(dim)),), edit.set_kind(root, address, node.kind, dim)
    if place and block.kind is not BlockKind.SEQUENTIAL:
        yield (_step("in-a-row"),), edit.set_kind(root, place, BlockKind.SEQUENTIAL)


def _shortcut(before: Shape, after: Shape) -> Layer | None:
    """Return a layer that brings one shape to another."""
    if len(before) == IMAGE_DIMS == len(after):
        strides = {-(-a // b) for a, b in zip(before[2:], after[2:], strict=True)}
        if len(strides) == 1 and all(
            -(-a // min(strides)) == b for a, b in zip(before[2:], after[2:], strict=True)
        ):
            made = {"in_channels": before[1], "out_channels": after[1], "kernel_size": 1}
            stride = min(strides)
            return Layer("Conv2d", made | ({"stride": stride} if stride > 1 else {}))
        return None
    if len(before) == len(after) and before[:-1] == after[:-1]:
        return Layer("Linear", {"in_features": before[-1], "out_features": after[-1]})
    return None


def _padded(root: Block, place: Address, block: Block) -> Block:
    """Return the network with convolutions in a block that keep height and width."""
    for address, node in edit.walk(block, place):
        if not isinstance(node, Layer) or not node.type.startswith("Conv"):
            continue
        kernel, given = node.keywords.get("kernel_size"), node.keywords
        if isinstance(kernel, int) and kernel % 2 and not node.type.startswith("ConvT"):
            changed = {**given, "padding": kernel // 2} if kernel > 1 else given
            changed = {name: value for name, value in changed.items() if name not in ("stride",)}
            root = edit.set_arguments(root, address, changed)
    return root


# -- small edits --------------------------------------------------------------------------------


def _step(id: str, **values: str) -> Step:
    return id, tuple(values.items())


def _label(root: Block, place: Address) -> str:
    node = edit.node_at(root, place)
    kind = node.type if isinstance(node, Layer) else "block"
    return f"{edit.path_at(root, place)} {node.of if isinstance(node, Shared) else kind}"


def _item() -> Layer:
    return Layer("Item", {"index": 0})


def with_argument(root: Block, place: Address, name: str, value: Value) -> tuple[Step, Block]:
    """Return a step and the network with another argument of a layer, wherever it is shared.

    Raises:
        IndexError: There is no layer.
    """
    node = edit.node_at(root, place)
    if isinstance(node, Shared):
        place = address_of(root, node.of) or place
        node = edit.node_at(root, place)
    if not isinstance(node, Layer):
        raise IndexError(place)
    step = _step("argument", layer=_label(root, place), argument=name, value=str(value))
    return step, edit.set_arguments(root, place, {**node.keywords, name: value})


def _before(root: Block, place: Address, layer: Layer) -> Block:
    return put_before(root, place, layer)[0]


def _replaced(root: Block, place: Address, node: Node) -> Block:
    old = edit.node_at(root, place)
    return edit.insert(edit.remove(root, place), place, replace(node, name=old.name))


def _unflatten(sizes: tuple[int, ...]) -> Layer:
    return Layer.of("Unflatten", dim=1, unflattened_size=sizes)


def _unflattened(features: int, channels: int, dims: int) -> tuple[int, ...]:
    """Split features into channels and sizes.

    >>> _unflattened(784, 1, 2), _unflattened(20, 3, 2)
    ((1, 28, 28), (1, 1, 20))
    """
    each, rest = divmod(features, channels)
    side = round(each ** (1 / dims))
    if rest == 0 and side**dims == each:
        return (channels, *(side,) * dims)
    return (*(1,) * dims, features)


def _largest(value: Value) -> int:
    if isinstance(value, tuple):
        return max(map(_largest, value), default=1)
    return value if isinstance(value, int) else 1
