"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.parameters.figures.cells import change, leaf
from playground.lessons.parameters.figures.lists import counts, kept
from playground.lessons.parameters.figures.names import names
from playground.lessons.parameters.figures.spread import spread

__all__ = ["change", "counts", "kept", "leaf", "names", "spread"]
