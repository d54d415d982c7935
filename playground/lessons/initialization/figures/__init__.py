"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.initialization.figures.depth import signals
from playground.lessons.initialization.figures.layers import layers
from playground.lessons.initialization.figures.symmetry import units
from playground.lessons.initialization.figures.values import fans, values

__all__ = ["fans", "layers", "signals", "units", "values"]
