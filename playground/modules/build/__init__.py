"""Builds modules from specs: checked, measured on the meta device, then constructed."""

from playground.modules.build.assemble import build, draw_inputs
from playground.modules.build.size import MAX_ACTIVATION_BYTES, MAX_PARAMETERS, Size, measure

__all__ = [
    "MAX_ACTIVATION_BYTES",
    "MAX_PARAMETERS",
    "Size",
    "build",
    "draw_inputs",
    "measure",
]
