"""Records of the memory of training. Free of torch."""

from dataclasses import dataclass
from enum import StrEnum, unique


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
