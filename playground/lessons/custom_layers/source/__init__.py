"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.custom_layers.source.belonging import (
    assign_weight,
    hold_tensor,
    use_as_component,
)
from playground.lessons.custom_layers.source.centering import center_values, measure_mean
from playground.lessons.custom_layers.source.learning import (
    copy_weights,
    train_through,
    use_my_linear,
)

__all__ = [
    "assign_weight",
    "center_values",
    "copy_weights",
    "hold_tensor",
    "measure_mean",
    "train_through",
    "use_as_component",
    "use_my_linear",
]
