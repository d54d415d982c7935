"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.models.source.meeting import (
    compute_loss,
    feed_model,
    mend_feeding,
    mend_loss,
    repair_loss,
)
from playground.lessons.models.source.moving import (
    mend_model,
    move_model,
    move_with_optimizer,
    repair_model,
)
from playground.lessons.models.source.placing import (
    find_model,
    mend_lazy,
    move_in_place,
    move_lazy,
    read_result,
)

__all__ = [
    "compute_loss",
    "feed_model",
    "find_model",
    "mend_feeding",
    "mend_lazy",
    "mend_loss",
    "mend_model",
    "move_in_place",
    "move_lazy",
    "move_model",
    "move_with_optimizer",
    "read_result",
    "repair_loss",
    "repair_model",
]
