"""The networks of this lesson, and how one becomes another that is almost the same."""

from enum import StrEnum, unique

from playground.errors import InvalidSettingError
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.addresses import walk
from playground.modules.spec.edit import insert, remove, rename, set_arguments
from playground.modules.spec.places import Content, Place, assemble, take_apart
from playground.modules.spec.starts import CHIMERA


def _linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


# A perceptron with one hidden layer; the same with dropout; with batch normalisation.
MLP = Network(Block((_linear(20, 256), Layer("ReLU"), _linear(256, 10))), InputSpec((2, 20)))
DROPOUT = Network(
    Block((_linear(20, 256), Layer("ReLU"), Layer.of("Dropout", p=0.5), _linear(256, 10))),
    InputSpec((2, 20)),
)
NORMED = Network(
    Block((_linear(20, 64), Layer.of("BatchNorm1d", num_features=64), _linear(64, 10))),
    InputSpec((8, 20)),
)
SMALL = Network(Block((_linear(4, 8), Layer("ReLU"), _linear(8, 2))), InputSpec((2, 4)))


@unique
class Own(StrEnum):
    """The lesson's own networks. FIXED holds a tensor that is neither parameter nor buffer."""

    MLP = "mlp"
    DROPOUT = "dropout"
    NORMED = "normed"
    FIXED = "fixed"

    @property
    def network(self) -> Network:
        """The network itself."""
        return {
            Own.MLP: MLP,
            Own.DROPOUT: DROPOUT,
            Own.NORMED: NORMED,
            Own.FIXED: CHIMERA,
        }[self]


@unique
class Other(StrEnum):
    """How a second network differs from a first."""

    MIXED = "mixed"
    SAME = "same"
    OUTPUTS = "outputs"
    MORE = "more"
    FEWER = "fewer"
    SHIFTED = "shifted"
    WRAPPED = "wrapped"

    def of(self, network: Network) -> Network:
        """The second network.

        >>> shape = Other.OUTPUTS.of(SMALL).block.children[2].keywords
        >>> shape["out_features"]
        4
        """
        root = network.block
        if self is Other.SAME or (isinstance(root, Block) and not root.children):
            return network
        change = CHANGES[self]
        return Network(change(root if isinstance(root, Block) else Block((root,))), network.input)


def read(text: str, field: str = "network") -> Network:
    """The network in a setting.

    Raises:
        InvalidSettingError: It is no text.
        InvalidSpecError: It is no network.
    """
    if not isinstance(text, str):
        raise InvalidSettingError("choice", field=field, given=text, allowed='"…"')
    return Network.from_json(text)


def _outputs(root: Block) -> Block:
    """The last layer with a number of outputs gives twice as many."""
    for address, node in reversed(list(walk(root))):
        if isinstance(node, Layer):
            for name in ("out_features", "out_channels"):
                given = node.keywords.get(name)
                if isinstance(given, int) and not isinstance(given, bool):
                    return set_arguments(root, address, {**node.keywords, name: 2 * given})
    return root


def _more(root: Block) -> Block:
    return insert(root, (len(root.children),), _linear(2, 3))


def _fewer(root: Block) -> Block:
    return remove(root, (len(root.children) - 1,)) if len(root.children) > 1 else root


def _shifted(root: Block) -> Block:
    return insert(root, (0,), Layer("Flatten"))


def _wrapped(root: Block) -> Block:
    """All of it in a block called module, as ``nn.DataParallel`` has it."""
    inner = Place(take_apart(root).content, name="module")
    return assemble(Content(places=[inner]), Block())


def _mixed(root: Block) -> Block:
    """The first layer has a name, and the last one other outputs."""
    names = {name for group in root.names() for name in group}
    return rename(_outputs(root), (0,), "stem") if "stem" not in names else _outputs(root)


CHANGES = {
    Other.MIXED: _mixed,
    Other.OUTPUTS: _outputs,
    Other.MORE: _more,
    Other.FEWER: _fewer,
    Other.SHIFTED: _shifted,
    Other.WRAPPED: _wrapped,
}


def has_lazy(network: Network) -> bool:
    """Whether any layer finds its shape in its first forward pass."""
    nodes = [node for _, node in walk(Block((network.block,)))]
    return any(isinstance(node, Layer) and node.type.startswith("Lazy") for node in nodes)
