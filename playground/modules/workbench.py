"""Experiments of the builder: list layers, and analyse, run or train a network.

Free of torch: the experiments import what computes the records of ``workbench_types``.
"""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings, check_length
from playground.modules.layer_types import LayerType
from playground.modules.spec import json_text
from playground.modules.workbench_types import Analysis, Flow, Training

MAX_FIT = 2000  # characters of addresses


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
