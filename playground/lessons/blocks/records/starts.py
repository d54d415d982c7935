"""The networks that the builder has ready."""

from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network, Shared
from playground.modules.spec import starts as ready


def _linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


def _convolution(inputs: int, outputs: int, size: int) -> Layer:
    return Layer.of(
        "Conv2d",
        in_channels=inputs,
        out_channels=outputs,
        kernel_size=size,
        padding=size // 2,
    )


BRANCHES = Network(
    Block(
        [
            _convolution(3, 8, 3),
            Block(
                [
                    _convolution(8, 8, 1),
                    _convolution(8, 8, 3),
                    Block([_convolution(8, 4, 1), Layer("ReLU"), _convolution(4, 8, 5)]),
                ],
                kind=BlockKind.CONCATENATE,
            ),
            Layer("ReLU"),
            Layer.of("AdaptiveAvgPool2d", output_size=1),
            Layer("Flatten"),
            _linear(24, 10),
        ]
    ),
    InputSpec((2, 3, 16, 16)),
)

SHARED = Network(
    Block(
        [
            _linear(20, 20),
            Layer("ReLU"),
            Shared("0"),
            Layer("ReLU"),
            Shared("0"),
            _linear(20, 10),
        ]
    ),
    InputSpec((2, 20)),
)

BROKEN = Network(
    Block(
        [
            _convolution(3, 8, 3),
            Layer("ReLU"),
            Layer.of("MaxPool2d", kernel_size=2),
            _convolution(16, 16, 3),
            Layer("ReLU"),
            Layer.of("MaxPool2d", kernel_size=2),
            _linear(256, 10),
        ]
    ),
    InputSpec((2, 3, 32, 32)),
)

STARTS = {
    "small_cnn": ready.SMALL_CNN,
    "mlp": ready.MLP,
    "residual": ready.RESIDUAL,
    "autoencoder": ready.AUTOENCODER,
    "chimera": ready.CHIMERA,
    "transformer": ready.TRANSFORMER,
    "branches": BRANCHES,
    "shared": SHARED,
    "broken": BROKEN,
}
