"""Ready-made networks; plain data, free of torch."""

from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Block, Layer
from playground.modules.spec.parts import BlockKind, Shared


def _linear(inputs: int, outputs: int, name: str | None = None) -> Layer:
    return Layer("Linear", {"in_features": inputs, "out_features": outputs}, name=name)


def _convolution(inputs: int, outputs: int) -> Layer:
    arguments = {"in_channels": inputs, "out_channels": outputs, "kernel_size": 3, "padding": 1}
    return Layer("Conv2d", arguments)


MLP = Network(
    Block([_linear(20, 256), Layer("ReLU"), _linear(256, 10)]),
    InputSpec((2, 20)),
)

SMALL_CNN = Network(
    Block(
        [
            _convolution(1, 8),
            Layer("ReLU"),
            Layer("MaxPool2d", {"kernel_size": 2}),
            _convolution(8, 16),
            Layer("ReLU"),
            Layer("MaxPool2d", {"kernel_size": 2}),
            Layer("Flatten"),
            _linear(16 * 7 * 7, 10),
        ]
    ),
    InputSpec((2, 1, 28, 28)),
)

RESIDUAL = Network(
    Block(
        [
            _convolution(3, 16),
            Block(
                [
                    _convolution(16, 16),
                    Layer("BatchNorm2d", {"num_features": 16}),
                    Layer("ReLU"),
                    _convolution(16, 16),
                    Layer("BatchNorm2d", {"num_features": 16}),
                ],
                kind=BlockKind.RESIDUAL,
            ),
            Layer("ReLU"),
            Layer("AdaptiveAvgPool2d", {"output_size": 1}),
            Layer("Flatten"),
            _linear(16, 10),
        ]
    ),
    InputSpec((2, 3, 16, 16)),
)

AUTOENCODER = Network(
    Block(
        [
            Block([_linear(64, 32), Layer("ReLU"), _linear(32, 8)], name="encoder"),
            Block(
                [_linear(8, 32), Layer("ReLU"), _linear(32, 64), Layer("Sigmoid")], name="decoder"
            ),
        ]
    ),
    InputSpec((2, 64)),
)

CHIMERA = Network(
    Block([Layer("NestMLP"), _linear(16, 20), Layer("FixedHiddenMLP")]),
    InputSpec((2, 20)),
)

TRANSFORMER = Network(
    Block(
        [
            Layer("Embedding", {"num_embeddings": 100, "embedding_dim": 32}, name="embedding"),
            Layer(
                "TransformerEncoderLayer",
                {"d_model": 32, "nhead": 4, "dim_feedforward": 64, "batch_first": True},
                name="encoder",
                times=2,
            ),
            _linear(32, 100, name="out"),
        ]
    ),
    InputSpec((2, 12), InputKind.TOKENS, below=100),
)

PRESETS = {
    "mlp": MLP,
    "small_cnn": SMALL_CNN,
    "residual": RESIDUAL,
    "autoencoder": AUTOENCODER,
    "chimera": CHIMERA,
    "transformer": TRANSFORMER,
}

BRANCHES = Network(
    Block(
        [
            _convolution(3, 8),
            Block(
                [
                    Layer("Conv2d", {"in_channels": 8, "out_channels": 8, "kernel_size": 1}),
                    _convolution(8, 8),
                    Block(
                        [
                            Layer(
                                "Conv2d", {"in_channels": 8, "out_channels": 4, "kernel_size": 1}
                            ),
                            Layer("ReLU"),
                            Layer.of(
                                "Conv2d", in_channels=4, out_channels=8, kernel_size=5, padding=2
                            ),
                        ]
                    ),
                ],
                kind=BlockKind.CONCATENATE,
            ),
            Layer("ReLU"),
            Layer("AdaptiveAvgPool2d", {"output_size": 1}),
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
            _convolution(3, 8),
            Layer("ReLU"),
            Layer("MaxPool2d", {"kernel_size": 2}),
            _convolution(16, 16),
            Layer("ReLU"),
            Layer("MaxPool2d", {"kernel_size": 2}),
            _linear(256, 10),
        ]
    ),
    InputSpec((2, 3, 32, 32)),
)

BUILDER_PRESETS = {
    **PRESETS,
    "branches": BRANCHES,
    "shared": SHARED,
    "broken": BROKEN,
}  # in the builder
