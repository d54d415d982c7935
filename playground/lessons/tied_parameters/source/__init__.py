"""The programs of this lesson, as a student would write them; knows no torch."""

from playground.lessons.tied_parameters.source.replaying import tie_replay
from playground.lessons.tied_parameters.source.tying import (
    count_tied,
    load_tied,
    share_layer,
    step_tied,
    tied_gradient,
)

__all__ = [
    "count_tied",
    "load_tied",
    "share_layer",
    "step_tied",
    "tie_replay",
    "tied_gradient",
]
