"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.models.experiment.meeting import compute_loss, feed_model
from playground.lessons.models.experiment.moving import move_model, move_with_optimizer
from playground.lessons.models.experiment.placing import (
    find_model,
    move_in_place,
    move_lazy,
    read_result,
)

__all__ = [
    "compute_loss",
    "feed_model",
    "find_model",
    "move_in_place",
    "move_lazy",
    "move_model",
    "move_with_optimizer",
    "read_result",
]
