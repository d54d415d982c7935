"""Making modules of specs; knows torch, and no lesson."""

from playground.modules.build.assemble import build, draw_inputs
from playground.modules.build.size import (
    MOST_ACTIVATION_BYTES,
    MOST_PARAMETERS,
    Size,
    measure,
)

__all__ = [
    "MOST_ACTIVATION_BYTES",
    "MOST_PARAMETERS",
    "Size",
    "build",
    "draw_inputs",
    "measure",
]
