"""The networks of this lesson, the visitor's, and their slightly different variants."""

from enum import StrEnum, unique
from textwrap import indent

from playground.errors import InvalidSettingError, InvalidSpecError
from playground.modules.source import as_sequential
from playground.modules.source.program import input_names
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.addresses import walk
from playground.modules.spec.edit import insert, remove, rename, set_arguments
from playground.modules.spec.edit_tree import Content, Slot, assemble, take_apart
from playground.modules.spec.link import from_link
from playground.modules.spec.presets import CHIMERA
from playground.steps import Run


def _linear(inputs: int, outputs: int) -> Layer:
    return Layer.of("Linear", in_features=inputs, out_features=outputs)


MLP = Network(Block((_linear(20, 256), Layer("ReLU"), _linear(256, 10))), InputSpec((2, 20)))
DROPOUT = Network(
    Block((_linear(20, 256), Layer("ReLU"), Layer.of("Dropout", p=0.5), _linear(256, 10))),
    InputSpec((2, 20)),
)
BATCH_NORM = Network(
    Block((_linear(20, 64), Layer.of("BatchNorm1d", num_features=64), _linear(64, 10))),
    InputSpec((8, 20)),
)


@unique
class Own(StrEnum):
    """The lesson's own networks. CONSTANT holds a tensor that is neither parameter nor buffer."""

    MLP = "mlp"
    DROPOUT = "dropout"
    BATCH_NORM = "batch_norm"
    CONSTANT = "constant"

    @property
    def network(self) -> Network:
        return {
            Own.MLP: MLP,
            Own.DROPOUT: DROPOUT,
            Own.BATCH_NORM: BATCH_NORM,
            Own.CONSTANT: CHIMERA,
        }[self]


def read(link: str) -> Network:
    """Read the visitor's network.

    Raises:
        InvalidSettingError: The link holds no network.
    """
    try:
        return from_link(link)
    except InvalidSpecError:
        raise InvalidSettingError("choice", field="network", given=link, allowed='"…"') from None


def check_buildable(*networks: Network) -> None:
    """Reject a network that cannot be built or is too large for a file; runs in the worker.

    Every layer and argument is PyTorch's own, so the program text is safe to run.

    Raises:
        PlaygroundError: One of them is rejected.
    """
    from playground.checkpoints import save  # loads torch

    for each in networks:
        save.check_buildable(each)


def as_function(network: Network) -> tuple[str, str, str]:
    """Return the parts of a program: the function ``make`` with imports, inputs, their names."""
    head, _, body = as_sequential(network, seed=0, run=True).partition("torch.manual_seed(0)\n")
    making, _, drawing = body.rpartition("\n\nX")
    returned = indent(making.replace("net = ", "return ", 1), "    ")
    inputs = f"X{drawing}".rpartition("Y = ")[0].strip()
    names = ", ".join(input_names(len(network.input)))
    return f"{head.rstrip()}\n\ndef make():\n{returned}", inputs, names


def unsaved(net: object, run: Run) -> tuple[str, ...]:
    """Return the names of tensors that the state_dict lacks; runs in the worker."""
    module = net if isinstance(net, run["nn"].Module) else run["nn"].Module()
    state = module.state_dict()
    found = [name for name, _ in module.named_buffers() if name not in state]
    for path, each in module.named_modules():
        tensors = (name for name, value in vars(each).items() if hasattr(value, "untyped_storage"))
        found += [f"{path}.{name}".lstrip(".") for name in tensors]
    return tuple(found)


def outputs(root: Block) -> Block:
    """Double the outputs of the last layer that has a number of outputs."""
    for address, node in reversed(list(walk(root))):
        if isinstance(node, Layer):
            for name in ("out_features", "out_channels"):
                given = node.keywords.get(name)
                if isinstance(given, int) and not isinstance(given, bool):
                    return set_arguments(root, address, {**node.keywords, name: 2 * given})
    return root


def more(root: Block) -> Block:
    """Append a layer."""
    return insert(root, (len(root.children),), _linear(2, 3))


def fewer(root: Block) -> Block:
    """Remove the last layer."""
    return remove(root, (len(root.children) - 1,)) if len(root.children) > 1 else root


def shifted(root: Block) -> Block:
    """Put a layer without parameters in front."""
    return insert(root, (0,), Layer("Flatten"))


def wrapped(root: Block) -> Block:
    """Wrap the network in a block called ``module``, as ``nn.DataParallel`` does."""
    inner = Slot(take_apart(root).content, name="module")
    return assemble(Content(slots=[inner]), Block())


def mixed(root: Block) -> Block:
    """Rename the first layer, and change the outputs of the last one."""
    names = {name for group in root.names() for name in group}
    return rename(outputs(root), (0,), "stem") if "stem" not in names else outputs(root)
