"""Networks that the builder starts from: well-known shapes, small enough to run at once."""

from playground.modules.spec.network import InputKind, InputSpec, Network
from playground.modules.spec.nodes import Block, Layer, Node
from playground.modules.spec.parts import BlockKind, Given, Shared
from playground.modules.spec.presets import BUILDER_PRESETS, PRESETS
from playground.modules.spec.wires import Wire

L = Layer.of


def _conv(
    inputs: int, outputs: int, size: int = 3, stride: int = 1, name: str | None = None
) -> Layer:
    given = {"in_channels": inputs, "out_channels": outputs, "kernel_size": size}
    given |= {"padding": size // 2} if size > 1 else {}
    return Layer("Conv2d", given | ({"stride": stride} if stride > 1 else {}), name=name)


def _norm(channels: int) -> Layer:
    return L("BatchNorm2d", num_features=channels)


def _linear(inputs: int, outputs: int, name: str | None = None) -> Layer:
    return Layer("Linear", {"in_features": inputs, "out_features": outputs}, name=name)


def _pool() -> Layer:
    return L("MaxPool2d", kernel_size=2)


EMPTY = Network(Block([]), InputSpec((2, 1, 28, 28)))

LENET = Network(
    Block(
        [
            L("Conv2d", in_channels=1, out_channels=6, kernel_size=5, padding=2),
            L("Sigmoid"),
            L("AvgPool2d", kernel_size=2),
            L("Conv2d", in_channels=6, out_channels=16, kernel_size=5),
            L("Sigmoid"),
            L("AvgPool2d", kernel_size=2),
            L("Flatten"),
            _linear(400, 120),
            L("Sigmoid"),
            _linear(120, 84),
            L("Sigmoid"),
            _linear(84, 10),
        ]
    ),
    InputSpec((2, 1, 28, 28)),
)


def _basic_block(inputs: int, outputs: int, stride: int, name: str) -> list[Node]:
    """Two convolutions, and a shortcut: a convolution of size 1 where the shape changes."""
    body: list[Node] = [
        _conv(inputs, outputs, stride=stride),
        _norm(outputs),
        L("ReLU"),
        _conv(outputs, outputs),
        _norm(outputs),
    ]
    if inputs == outputs and stride == 1:
        return [Block(body, kind=BlockKind.RESIDUAL, name=name), L("ReLU")]
    shortcut = Block([_conv(inputs, outputs, 1, stride), _norm(outputs)], name="shortcut")
    branches = [Block(body, name="body"), shortcut]
    return [Block(branches, kind=BlockKind.ADD, name=name), L("ReLU")]


RESNET = Network(
    Block(
        [
            _conv(3, 16, name="stem"),
            _norm(16),
            L("ReLU"),
            *_basic_block(16, 16, 1, "block1"),
            *_basic_block(16, 32, 2, "block2"),
            L("AdaptiveAvgPool2d", output_size=1),
            L("Flatten"),
            _linear(32, 10, "head"),
        ]
    ),
    InputSpec((2, 3, 32, 32)),
)

INCEPTION = Network(
    Block(
        [
            _conv(3, 16),
            L("ReLU"),
            Block(
                [
                    Block([_conv(16, 8, 1), L("ReLU")]),
                    Block([_conv(16, 8, 1), L("ReLU"), _conv(8, 16), L("ReLU")]),
                    Block([_conv(16, 4, 1), L("ReLU"), _conv(4, 8, 5), L("ReLU")]),
                    Block([L("MaxPool2d", kernel_size=3, stride=1, padding=1), _conv(16, 8, 1)]),
                ],
                kind=BlockKind.CONCATENATE,
                name="inception",
            ),
            L("AdaptiveAvgPool2d", output_size=1),
            L("Flatten"),
            _linear(40, 10),
        ]
    ),
    InputSpec((2, 3, 28, 28)),
)


def _double(inputs: int, outputs: int, name: str) -> Block:
    return Block([_conv(inputs, outputs), L("ReLU"), _conv(outputs, outputs), L("ReLU")], name=name)


def _up(inputs: int, outputs: int, name: str) -> Layer:
    given = {"in_channels": inputs, "out_channels": outputs, "kernel_size": 2, "stride": 2}
    return Layer("ConvTranspose2d", given, name=name)


UNET = Network(
    Block(
        [
            _double(1, 8, "down1"),
            _pool(),
            _double(8, 16, "down2"),
            _pool(),
            _double(16, 32, "middle"),
            _up(32, 16, "up2"),
            Block([], kind=BlockKind.CONCATENATE, inputs=("down2", "-"), name="join2"),
            _double(32, 16, "merge2"),
            _up(16, 8, "up1"),
            Block([], kind=BlockKind.CONCATENATE, inputs=("down1", "-"), name="join1"),
            _double(16, 8, "merge1"),
            _conv(8, 2, 1, name="out"),
        ]
    ),
    InputSpec((2, 1, 32, 32)),
)


def _residual(children: list[Node], name: str) -> Block:
    return Block(
        [L("LayerNorm", normalized_shape=32), *children], kind=BlockKind.RESIDUAL, name=name
    )


GPT = Network(
    Block(
        [
            Layer("Embedding", {"num_embeddings": 100, "embedding_dim": 32}, name="tokens"),
            Layer("PositionalEmbedding", {"num_positions": 64, "features": 32}, name="positions"),
            Block(
                [
                    _residual([L("CausalSelfAttention", embed_dim=32, num_heads=4)], "attention"),
                    _residual([_linear(32, 128), L("GELU"), _linear(128, 32)], "mlp"),
                ],
                name="block",
                times=2,
            ),
            Layer("LayerNorm", {"normalized_shape": 32}, name="norm"),
            _linear(32, 100, "head"),
        ]
    ),
    InputSpec((2, 12), InputKind.TOKENS, below=100),
)

_ENCODER: dict[str, Given] = {
    "d_model": 32,
    "nhead": 4,
    "dim_feedforward": 128,
    "activation": "gelu",
    "batch_first": True,
}
BERT = Network(
    Block(
        [
            Layer("Embedding", {"num_embeddings": 100, "embedding_dim": 32}, name="tokens"),
            Layer("PositionalEmbedding", {"num_positions": 64, "features": 32}, name="positions"),
            L("LayerNorm", normalized_shape=32),
            Layer("TransformerEncoderLayer", _ENCODER, name="encoder", times=2),
            _linear(32, 100, "words"),
        ]
    ),
    InputSpec((2, 12), InputKind.TOKENS, below=100),
)

_SIDE: dict[str, Given] = {"d_model": 32, "nhead": 4, "dim_feedforward": 64, "batch_first": True}
TRANSLATOR = Network(
    Block(
        [
            Layer("Embedding", {"num_embeddings": 100, "embedding_dim": 32}, name="embedding"),
            Layer("TransformerEncoderLayer", _SIDE, name="encoder", times=2),
            Shared("embedding", name="target", inputs=(Wire("#2"),)),
            Layer(
                "TransformerDecoderLayer", _SIDE, name="decoder", times=2, inputs=("-", "encoder1")
            ),
            _linear(32, 100, "head"),
        ]
    ),
    (
        InputSpec((2, 12), InputKind.TOKENS, below=100),
        InputSpec((2, 8), InputKind.TOKENS, below=100),
    ),
)

STARTS: dict[str, Network] = {
    "empty": EMPTY,
    "lenet": LENET,
    "mlp": PRESETS["mlp"],
    "small_cnn": PRESETS["small_cnn"],
    "residual": PRESETS["residual"],
    "resnet": RESNET,
    "inception": INCEPTION,
    "unet": UNET,
    "transformer": PRESETS["transformer"],
    "gpt": GPT,
    "bert": BERT,
    "translator": TRANSLATOR,
    "autoencoder": PRESETS["autoencoder"],
    "shared": BUILDER_PRESETS["shared"],
    "branches": BUILDER_PRESETS["branches"],
    "chimera": PRESETS["chimera"],
    "broken": BUILDER_PRESETS["broken"],
}
