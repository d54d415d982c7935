"""The networks of this lesson, and what they are called in its programs."""

from playground.errors import InvalidSettingError
from playground.modules.spec import Block, InputSpec, Layer, Network


def _linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


def _block1() -> tuple[Layer, ...]:
    return _linear(4, 8), Layer("ReLU"), _linear(8, 4), Layer("ReLU")


# One hidden layer.
PLAIN = Network(Block((_linear(4, 8), Layer("ReLU"), _linear(8, 1))), InputSpec((2, 4)))
# The same with batch normalisation, which has buffers beside its parameters.
NORMED = Network(
    Block((_linear(4, 8), Layer.of("BatchNorm1d", num_features=8), Layer("ReLU"), _linear(8, 1))),
    InputSpec((2, 4)),
)
# Blocks in a block in a network; "block 0" to "block 3" in the middle.
RGNET = Network(
    Block(
        (
            Block([Block(_block1(), name=f"block {number}") for number in range(4)]),
            _linear(4, 1),
        )
    ),
    InputSpec((2, 4)),
)


def variable_of(network: Network) -> str:
    """What a program calls the network."""
    return "rgnet" if network.block == RGNET.block else "net"


def read(text: str) -> Network:
    """The network in a setting.

    Raises:
        InvalidSettingError: It is no text.
        InvalidSpecError: It is no network.
    """
    if not isinstance(text, str):
        raise InvalidSettingError("choice", field="network", given=text, allowed='"…"')
    return Network.from_json(text)
