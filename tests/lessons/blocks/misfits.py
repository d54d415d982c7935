"""Networks of which the builder explains why they do not fit, as links, by the explanation."""

from typing import Any

from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network, Shared
from playground.modules.spec.link import to_link


def linear(inputs: int, outputs: int, name: str | None = None, **more: Any) -> Layer:
    return Layer("Linear", {"in_features": inputs, "out_features": outputs, **more}, name=name)


def joined(kind: BlockKind, *kernels: int) -> Block:
    sizes = {"in_channels": 3, "out_channels": 3}
    return Block([Layer.of("Conv2d", **sizes, kernel_size=each) for each in kernels], kind=kind)


def network(*nodes: Layer | Block | Shared, shape: tuple[int, ...] = (2, 3, 8, 8)) -> Network:
    return Network(Block(nodes), InputSpec(shape))


NETWORKS = {
    "features-differ": network(linear(20, 16), linear(20, 4), shape=(2, 20)),
    "used-again": network(linear(20, 16), Shared("0"), shape=(2, 20)),
    "needs-flatten": network(linear(192, 4)),
    "argument-differs": network(Layer.of("BatchNorm2d", num_features=4)),
    "nothing-in-it": network(),
    "takes-one-input": Network(Block([linear(4, 4)]), (InputSpec((2, 4)), InputSpec((2, 4)))),
    "residual-differs": network(joined(BlockKind.RESIDUAL, 3)),
    "concatenate-differs": network(joined(BlockKind.CONCATENATE, 3, 5)),
    "sum-differs": network(joined(BlockKind.ADD, 3, 5)),
    "gets-a-tuple": network(
        Layer.of("LSTM", input_size=20, hidden_size=8), linear(8, 4), shape=(2, 20)
    ),
    "wants-tokens": network(
        Layer.of("Embedding", num_embeddings=9, embedding_dim=4), shape=(2, 20)
    ),
    "stops-here": network(
        Layer.of("Bilinear", in1_features=4, in2_features=4, out_features=2), shape=(2, 4)
    ),
}
MISFITS = {name: to_link(each) for name, each in NETWORKS.items()}
