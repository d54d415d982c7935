"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.custom_layers.experiment.belonging import (
    assign_weight,
    hold_tensor,
    use_as_component,
)
from playground.lessons.custom_layers.experiment.centering import center_values, measure_mean
from playground.lessons.custom_layers.experiment.learning import (
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
