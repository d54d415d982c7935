"""Nodes as the expressions that construct them, and the imports that they need."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from playground.modules import custom_source
from playground.modules.source.layout import Brackets, Expression, Line, call, prefixed
from playground.modules.spec import names
from playground.modules.spec.nodes import Block, Layer, Node, inner_layer
from playground.modules.spec.parts import BlockKind, Shared, Value

_CONVOLUTION = ("in_channels", "out_channels", "kernel_size")
_LAZY_CONVOLUTION = ("out_channels", "kernel_size")
_RECURRENT = ("input_size", "hidden_size")
_ATTENTION = ("d_model", "nhead")

POSITIONS: dict[str, tuple[str, ...]] = {
    "Linear": ("in_features", "out_features"),
    "LazyLinear": ("out_features",),
    "Bilinear": ("in1_features", "in2_features", "out_features"),
    **{f"Conv{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **{f"ConvTranspose{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **{f"LazyConv{rank}d": _LAZY_CONVOLUTION for rank in (1, 2, 3)},
    **{f"LazyConvTranspose{rank}d": _LAZY_CONVOLUTION for rank in (1, 2, 3)},
    **{f"BatchNorm{rank}d": ("num_features",) for rank in (1, 2, 3)},
    **{f"InstanceNorm{rank}d": ("num_features",) for rank in (1, 2, 3)},
    **{f"MaxPool{rank}d": ("kernel_size",) for rank in (1, 2, 3)},
    **{f"AvgPool{rank}d": ("kernel_size",) for rank in (1, 2, 3)},
    **{f"AdaptiveAvgPool{rank}d": ("output_size",) for rank in (1, 2, 3)},
    **{f"AdaptiveMaxPool{rank}d": ("output_size",) for rank in (1, 2, 3)},
    "GroupNorm": ("num_groups", "num_channels"),
    "LayerNorm": ("normalized_shape",),
    "RMSNorm": ("normalized_shape",),
    "Dropout": ("p",),
    "LeakyReLU": ("negative_slope",),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "Unflatten": ("dim", "unflattened_size"),
    **dict.fromkeys(("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), _RECURRENT),
    "MultiheadAttention": ("embed_dim", "num_heads"),
    "TransformerEncoderLayer": _ATTENTION,
    "TransformerDecoderLayer": _ATTENTION,
    "TransformerEncoder": ("encoder_layer", "num_layers"),
    "TransformerDecoder": ("decoder_layer", "num_layers"),
    "MLP": ("in_features", "hidden_features", "out_features"),
    "FixedHiddenMLP": ("features",),
    "MyLinear": ("in_units", "units"),
    "MyLinearWithData": ("in_units", "units"),
    "Item": ("index",),
    "Permute": ("dims",),
    "Reshape": ("shape",),
    "PositionalEmbedding": ("num_positions", "features"),
    "CausalSelfAttention": ("embed_dim", "num_heads"),
}


CLASSES = {
    BlockKind.SEQUENTIAL: "nn.Sequential",
    BlockKind.RESIDUAL: "Residual",
    BlockKind.ADD: "Add",
    BlockKind.MULTIPLY: "Multiply",
    BlockKind.CONCATENATE: "Concatenate",
}
ClassOf: TypeAlias = Callable[["Writer", Block, str], Expression]


@dataclass(slots=True)
class Writer:
    """Writes nodes, and remembers what they need.

    Attributes:
        variables: What the nodes that are used again are called in the program, by path.
        classes: The names of our own classes that were written, in that order.
        needs_ordered_dict: Whether a child has a name.
        definitions: The text of the classes that were written for wired blocks, with their names.
        wired: Writes the construction of a wired block, which needs a class of its own.
        taken: Names that no such class may have.
        uses_torch: Whether one of these classes says ``torch.``.
    """

    variables: Mapping[str, str]
    wired: ClassOf
    classes: dict[str, None] = field(default_factory=dict)
    needs_ordered_dict: bool = False
    definitions: dict[tuple[Line, ...], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    uses_torch: bool = False

    def class_name(self, text: tuple[Line, ...], block: Block) -> str:
        """Return the name of the class of a wired block; equal classes are one."""
        if text not in self.definitions:
            own = block.name if block.name and names.is_identifier(block.name) else "block"
            base = "".join(word[:1].upper() + word[1:] for word in own.split("_"))
            stem, number = base, 1
            while base in {*self.taken, *self.definitions.values(), *custom_source.CLASSES, "F"}:
                number += 1
                base = f"{stem}{number}"
            self.definitions[text] = base
        return self.definitions[text]

    def node(self, node: Node, path: str, *, is_open: bool = False) -> Expression:
        """Write the construction of a node, or the variable that already holds it."""
        if path in self.variables:
            return self.variables[path]
        return self.making(node, path, is_open=is_open)

    def making(self, node: Node, path: str, *, is_open: bool = False) -> Expression:
        """Write the construction of one copy of a node."""
        made = self._making(node, path, is_open=is_open)
        return made if isinstance(made, str) else replace(made, path=path)

    def _making(self, node: Node, path: str, *, is_open: bool) -> Expression:
        match node:
            case Layer():
                return self.layer(node)
            case Shared():
                return self.variables[node.of]
            case Block() if node.is_wired:
                return self.wired(self, node, path)
            case Block():
                name = CLASSES[node.kind]
                if node.kind is not BlockKind.SEQUENTIAL:
                    self.classes[name] = None
                return self.container(name, node, path, is_open=is_open)

    def container(self, name: str, block: Block, path: str, *, is_open: bool = False) -> Expression:
        """Write a call whose arguments are a block's children."""
        if any(child.name is not None for child in block.children):
            self.needs_ordered_dict = True
            if all(_has_plain_name(child) for child in block.children):
                named = tuple(self._keywords(block, path))
                return call(name, [call("OrderedDict", named, is_open=True)])
            pairs = Brackets("[", tuple(self._pairs(block, path)), "]", is_open=True)
            return call(name, [call("OrderedDict", [pairs])])
        return call(
            name, list(self._children(block, path)), is_open=is_open or len(block.children) > 1
        )

    def layer(self, layer: Layer) -> Expression:
        """Write a call of the layer's class."""
        places = POSITIONS.get(layer.type, ())
        by_place = True
        items: list[Expression] = []
        for place, (name, value) in enumerate(layer.arguments):
            by_place = by_place and places[place : place + 1] == (name,)
            items.append(prefixed("" if by_place else f"{name}=", self._value(value)))
        if layer.type in custom_source.LAYERS:
            self.classes[layer.type] = None
            return call(layer.type, items)
        return call(f"nn.{layer.type}", items)

    def _value(self, value: Value) -> Expression:
        inner = inner_layer(value)
        if inner is not None:
            return self.layer(inner)
        if isinstance(value, str):
            return text(value)
        if isinstance(value, tuple):
            items = tuple(self._value(item) for item in value)
            return f"({items[0]},)" if len(items) == 1 else Brackets("(", items)
        return repr(value)

    def _children(self, block: Block, path: str) -> Iterator[Expression]:
        for child, (first, *_) in zip(block.children, block.names(), strict=True):
            below = f"{path}.{first}" if path else first
            made = self.node(child, below)
            yield made if child.times == 1 else copies(made, child.times)

    def _keywords(self, block: Block, path: str) -> Iterator[Expression]:
        for child in block.children:
            name = str(child.name)
            yield prefixed(f"{name}=", self.node(child, f"{path}.{name}" if path else name))

    def _pairs(self, block: Block, path: str) -> Iterator[Expression]:
        for child, (first, *_) in zip(block.children, block.names(), strict=True):
            below = f"{path}.{first}" if path else first
            made = self.node(child, below)
            if child.times == 1:
                yield Brackets("(", (text(first), made))
            elif child.name is not None:
                pair = Brackets("(", (f'f"{child.name}{{i}}"', made))
                yield Brackets("*[", (pair,), "]", loop=f"for i in range({child.times})")
            else:
                pair = Brackets("(", ("str(i)", made))
                loop = f"for i in range({first}, {int(first) + child.times})"
                yield Brackets("*[", (pair,), "]", loop=loop)


def _has_plain_name(node: Node) -> bool:
    return node.times == 1 and node.name is not None and names.is_identifier(node.name)


def copies(made: Expression, times: int) -> Brackets:
    """Write a number of copies among other arguments, each constructed separately."""
    return Brackets("*[", (made,), "]", loop=f"for _ in range({times})")


def text(value: str) -> str:
    """Quote a text as Python's formatters do."""
    quoted = repr(value)
    return quoted if '"' in value or "\\" in quoted or quoted[0] == '"' else f'"{value}"'
