"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.blocks.figures.flow import flow
from playground.lessons.blocks.figures.loops import loops
from playground.lessons.blocks.figures.outputs import outputs
from playground.lessons.blocks.figures.shape_chain import shape_chain
from playground.lessons.blocks.figures.shares import shares
from playground.lessons.blocks.figures.slopes import slopes
from playground.lessons.blocks.figures.tree import tree

__all__ = ["flow", "loops", "outputs", "shape_chain", "shares", "slopes", "tree"]
