"""Networks drawn at random whose shapes fit, so that they run."""

import math
from dataclasses import dataclass, field

from hypothesis import strategies as st

from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network, Node, Shared

Shape = tuple[int, ...]  # without the batch: (features,) or (channels, height, width)
NAMES = ("hidden", "out", "body", "first", "last", "a1")


@dataclass
class Chain:
    """Grows a block child by child, and knows what may be shared."""

    draw: st.DrawFn
    shareable: list[tuple[str, Shape, Shape]] = field(default_factory=list)

    def block(self, shape: Shape, path: str, depth: int, is_repeated: bool, keeps: bool) -> tuple:
        """Children from a shape to another, or back to the same where ``keeps`` is set."""
        children: list[Node] = []
        places = 0
        taken: set[str] = set()
        for _ in range(self.draw(st.integers(1, 3))):
            name = self.draw(st.sampled_from((None, None, *NAMES)))
            name = None if name in taken else name
            taken.add(name or "")
            below = f"{path}.{name or places}".removeprefix(".")
            known = len(self.shareable)
            child, after = self.node(shape, below, name, depth, is_repeated)
            if keeps and after != shape:
                del self.shareable[known:]  # what was in it is gone with it
                continue
            children.append(child)
            places += child.times
            if not is_repeated and child.times == 1 and not isinstance(child, Shared):
                self.shareable.append((below, shape, after))
            shape = after
        return children, shape

    def node(
        self, shape: Shape, path: str, name: str | None, depth: int, is_repeated: bool
    ) -> tuple[Node, Shape]:
        fitting = [of for of, before, _ in self.shareable if before == shape]
        kinds = ["layer", "layer", "copies"] + ["shared"] * bool(fitting)
        kinds += ["sequential", "residual", "joined", "blocks", "wired"] if depth < 3 else []
        match self.draw(st.sampled_from(kinds)):
            case "shared":
                of = self.draw(st.sampled_from(fitting))
                after = next(after for at, _, after in self.shareable if at == of)
                return Shared(of, name=name), after
            case "sequential":
                children, after = self.block(shape, path, depth + 1, is_repeated, False)
                return Block(children, name=name), after
            case "residual":
                children, _ = self.block(shape, path, depth + 1, is_repeated, True)
                return Block(children, kind=BlockKind.RESIDUAL, name=name), shape
            case "joined":
                return self.branches(shape, path, name, depth, is_repeated)
            case "wired":
                both = [self.same(shape), Block([], kind="add", inputs=("-", "#1"))]
                return Block(both, name=name), shape
            case "blocks":
                children, _ = self.block(shape, path, depth + 1, True, True)
                kind = self.draw(st.sampled_from((BlockKind.SEQUENTIAL, BlockKind.RESIDUAL)))
                return Block(children, kind=kind, name=name, times=2), shape
            case "copies":
                layer = self.same(shape)
                return Layer(layer.type, layer.arguments, name=name, times=2), shape
        layer, after = self.layer(shape)
        return Layer(layer.type, layer.arguments, name=name), after

    def branches(
        self, shape: Shape, path: str, name: str | None, depth: int, is_repeated: bool
    ) -> tuple[Node, Shape]:
        """Blocks side by side; images must keep their height and width."""
        made, total = [], 0
        kind = self.draw(
            st.sampled_from((BlockKind.CONCATENATE, BlockKind.ADD, BlockKind.MULTIPLY))
        )
        is_sum = kind is not BlockKind.CONCATENATE
        for number in range(2):
            keeps = len(shape) == 3 or is_sum
            below = f"{path}.{number}"
            children, after = self.block(shape, below, depth + 1, is_repeated, keeps)
            made.append(Block(children))
            total += after[0]
        return Block(made, kind=kind, name=name), shape if is_sum else (total, *shape[1:])

    def layer(self, shape: Shape) -> tuple[Layer, Shape]:
        out = self.draw(st.integers(1, 6))
        if len(shape) == 3:
            convolution = {"in_channels": shape[0], "kernel_size": 3, "padding": 1}
            image, flat = (out, *shape[1:]), math.prod(shape)
            layers = (
                (Layer("Conv2d", {**convolution, "out_channels": out}), image),
                (Layer.of("LazyConv2d", out_channels=out, kernel_size=(1, 1), bias=False), image),
                (Layer("Flatten"), (flat,)),
                (self.same(shape), shape),
            )
            return self.draw(st.sampled_from(layers))
        linear = Layer.of("Linear", in_features=shape[0], out_features=out)
        mlp = Layer.of("MLP", in_features=shape[0], hidden_features=3, out_features=out)
        mine = Layer.of("MyLinear", in_units=shape[0], units=out)
        lazy = Layer.of("LazyLinear", out_features=out)
        chosen = self.draw(st.sampled_from((linear, mlp, mine, lazy, self.same(shape))))
        return chosen, shape if chosen in self.all_same(shape) else (out,)

    def same(self, shape: Shape) -> Layer:
        return self.draw(st.sampled_from(self.all_same(shape)))

    def all_same(self, shape: Shape) -> list[Layer]:
        """Layers that keep a shape."""
        both = [Layer("ReLU"), Layer("Dropout", {"p": 0.5}), Layer("CenteredLayer")]
        if len(shape) == 3:
            return [*both, Layer("BatchNorm2d", {"num_features": shape[0]})]
        same = {"in_features": shape[0], "out_features": shape[0], "bias": False}
        return [*both, Layer("Linear", same), Layer("LayerNorm", {"normalized_shape": (shape[0],)})]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    shape = draw(st.sampled_from(((4,), (5,), (2, 4, 4))))
    chain = Chain(draw)
    kind = draw(st.sampled_from((BlockKind.SEQUENTIAL, BlockKind.SEQUENTIAL, BlockKind.RESIDUAL)))
    children, _ = chain.block(shape, "", 1, False, kind is BlockKind.RESIDUAL)
    return Network(Block(children, kind=kind), InputSpec((3, *shape)))
