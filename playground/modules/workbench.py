"""What the builder asks workers for: layers, the analysis of a network, data that flows through it.

The records are plain data, and this module is free of torch; the experiments import what computes
them.
"""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings, check_length
from playground.modules.layer_types import LayerType
from playground.modules.memory_types import TrainingMemory
from playground.modules.spec import json_text
from playground.modules.spec.addresses import Address
from playground.modules.trace_types import ForwardTrace

Step = tuple[str, tuple[tuple[str, str], ...]]  # the id of a sentence, and its values
MAX_FIT = 2000  # characters of addresses


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
    """What flowed along the edges in one forward and backward pass.

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


@dataclass(frozen=True, kw_only=True)
class TrainNetwork(Settings[Training]):
    """Train a network for some more steps on a toy task.

    Attributes:
        network: As JSON.
        state: Of the training so far, as our own worker returned it; empty to begin.
        seed: Of the parameters and the data.
    """

    network: str
    state: bytes = b""
    seed: int = 0
    deterministic: ClassVar[bool] = False  # so that no state is kept
    uses_hardware: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_length("network", self.network, most=json_text.MAX_CHARACTERS)

    def experiment(self) -> Training:
        """Train the network; runs in the worker.

        Raises:
            InvalidSpecError: It cannot be built, or trained on this task.
        """
        from playground.modules.toy_training import train  # loads torch

        return train(self.network, self.state, self.seed)


@dataclass(frozen=True, kw_only=True)
class ListLayers(Settings[tuple[LayerType, ...]]):
    """List the layers of torch.nn that a network can be wired from, and those of the lessons."""

    uses_hardware: ClassVar[bool] = False

    def experiment(self) -> tuple[LayerType, ...]:
        """List the layers of the installed torch; runs in the worker."""
        from playground.modules.analysis import list_layers  # loads torch

        return list_layers()


@dataclass(frozen=True, kw_only=True)
class AnalyzeNetwork(Settings[Analysis]):
    """Build a network, run it once, and look for fixes.

    Attributes:
        network: As JSON.
        fit: Addresses of layers that were just put in, ``"0.1 0.2"``: their sizes follow.
        optimizer: For the memory of training.
        dtype: For the memory of training.
    """

    network: str
    fit: str = ""
    optimizer: str = "adam"
    dtype: str = "float32"
    uses_hardware: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_length("network", self.network, most=json_text.MAX_CHARACTERS)
        check_length("fit", self.fit, most=MAX_FIT)

    def experiment(self) -> Analysis:
        """Analyze the network; runs in the worker.

        Raises:
            InvalidSpecError: It cannot be built, or is too large.
        """
        from playground.modules.analysis import analyze  # loads torch

        return analyze(self.network, self.fit, self.optimizer, self.dtype)


@dataclass(frozen=True, kw_only=True)
class RunNetwork(Settings[Flow]):
    """Send a batch through a network and its gradient back.

    Attributes:
        network: As JSON.
        data: ``noise``, or ``digits`` for images of 8 × 8 handwritten digits.
        seed: Of the parameters and of the noise.
    """

    network: str
    data: str = "noise"
    seed: int = 0
    uses_hardware: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_length("network", self.network, most=json_text.MAX_CHARACTERS)
        check_length("data", self.data, most=MAX_FIT)

    def experiment(self) -> Flow:
        """Run the network; runs in the worker.

        Raises:
            InvalidSpecError: It cannot be built, or is too large.
        """
        from playground.modules.flow import run_network  # loads torch

        return run_network(self.network, self.data, self.seed)
