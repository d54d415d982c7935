"""Networks of which the builder explains why they do not fit, as links, by the explanation."""

from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network, Shared
from playground.modules.spec.link import to_link


def linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


def convolution(inputs: int, outputs: int, size: int) -> Layer:
    return Layer.of("Conv2d", in_channels=inputs, out_channels=outputs, kernel_size=size)


IMAGES = InputSpec((2, 3, 8, 8))
NETWORKS = {
    "features-differ": Network(Block([linear(20, 16), linear(20, 4)]), InputSpec((2, 20))),
    "used-again": Network(Block([linear(20, 16), Shared("0")]), InputSpec((2, 20))),
    "needs-flatten": Network(Block([linear(192, 4)]), IMAGES),
    "argument-differs": Network(Block([Layer.of("BatchNorm2d", num_features=4)]), IMAGES),
    "nothing-in-it": Network(Block([]), IMAGES),
    "takes-one-input": Network(Block([linear(4, 4)]), (InputSpec((2, 4)), InputSpec((2, 4)))),
    "residual-differs": Network(
        Block([Block([convolution(3, 3, 3)], kind=BlockKind.RESIDUAL)]), IMAGES
    ),
    "concatenate-differs": Network(
        Block([Block([convolution(3, 3, 3), convolution(3, 3, 5)], kind=BlockKind.CONCATENATE)]),
        IMAGES,
    ),
    "sum-differs": Network(
        Block([Block([convolution(3, 3, 3), convolution(3, 3, 5)], kind=BlockKind.ADD)]), IMAGES
    ),
    "gets-a-tuple": Network(
        Block([Layer.of("LSTM", input_size=20, hidden_size=8), linear(8, 4)]), InputSpec((2, 20))
    ),
    "wants-tokens": Network(
        Block([Layer.of("Embedding", num_embeddings=9, embedding_dim=4)]), InputSpec((2, 20))
    ),
    "stops-here": Network(
        Block([Layer.of("Bilinear", in1_features=4, in2_features=4, out_features=2)]),
        InputSpec((2, 4)),
    ),
}
MISFITS = {name: to_link(each) for name, each in NETWORKS.items()}
