"""Records of a network analysed, run or trained, and of the memory it takes. Free of torch."""

from dataclasses import dataclass
from enum import StrEnum, unique

from playground.modules.spec.addresses import Address
from playground.modules.trace_types import ForwardTrace

Step = tuple[str, tuple[tuple[str, str], ...]]  # the id of a sentence, and its values


@unique
class Optimizer(StrEnum):
    """An optimizer of torch.optim with its usual arguments."""

    SGD = "sgd"
    MOMENTUM = "momentum"  # SGD with momentum
    ADAM = "adam"
    ADAMW = "adamw"
    RMSPROP = "rmsprop"
    ADAGRAD = "adagrad"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingMemory:
    """Bytes of one training step, each tensor counted once.

    Attributes:
        parameters: Of all parameters.
        gradients: Of the parameters that require one.
        optimizer_state: What the optimizer keeps after its first step.
        activations: Of the tensors that the forward pass saves for the backward pass, in training
            mode: outputs of layers, masks, and the batch itself where a layer saves it.
        buffers: Of all buffers.
    """

    parameters: int
    gradients: int
    optimizer_state: int
    activations: int
    buffers: int

    @property
    def total(self) -> int:
        """All parts together."""
        parts = self.parameters, self.gradients, self.optimizer_state, self.activations
        return sum(parts) + self.buffers


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change of a network, and what it leads to.

    Attributes:
        steps: What is done: ids of sentences, each with values.
        network: The changed network as JSON.
        shape: Of the output, as text; empty where the network still fails.
        place: Where to look afterwards.
    """

    steps: tuple[Step, ...]
    network: str
    shape: str = ""
    place: Address | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A network that was built, and called once.

    Attributes:
        network: As JSON; the arguments of a new layer were fitted to its input.
        trace: Its forward pass.
        parameters: By path of a module: the trainable parameters in it, each counted once.
        fixes: Where it fails, the best first.
        memory: Of a training step; None where it cannot be computed.
    """

    network: str
    trace: ForwardTrace
    parameters: tuple[tuple[str, int], ...]
    fixes: tuple[Fix, ...] = ()
    memory: TrainingMemory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """A tensor made small: its first sample, as bytes for a grey picture.

    Attributes:
        kind: ``maps`` for (N, C, H, W), ``bars`` for (N, F), ``grid`` for any other.
        width: Of one picture.
        height: Of one picture.
        pixels: One byte each, row by row, one picture after the other; 0 is the least value.
        least: The value that 0 stands for.
        most: The value that 255 stands for.
        mean: Of the whole tensor.
        std: Of the whole tensor; 0 for one element.
        zeros: The share of elements that are 0.
    """

    kind: str
    width: int
    height: int
    pixels: bytes
    least: float
    most: float
    mean: float
    std: float
    zeros: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Tensors and gradients on the edges in one forward and backward pass.

    Attributes:
        values: By path and call of a module: its output. The inputs are ``input1`` and so on.
        gradients: By the same keys: the norm of the gradient of that output, for a loss that is
            half the sum of squares of the last output.
        is_backward_complete: A gradient reached every trainable parameter.
    """

    values: tuple[tuple[str, Thumbnail], ...]
    gradients: tuple[tuple[str, float], ...]
    is_backward_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A network in training.

    Attributes:
        losses: Of every step so far.
        state: Its parameters and those of the optimizer, as ``torch.save`` writes them.
        task: ``spirals``, ``digits`` or ``copy``.
        flow: Of samples of the task, through the network as it is now.
        is_over: It has had its steps, or its time.
    """

    losses: tuple[float, ...]
    state: bytes
    task: str
    flow: Flow
    is_over: bool
