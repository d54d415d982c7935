"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.custom_layers.figures.cells import gradient_map, holdings, layouts
from playground.lessons.custom_layers.figures.curves import losses
from playground.lessons.custom_layers.figures.lines import magnitudes, shift

__all__ = ["gradient_map", "holdings", "layouts", "losses", "magnitudes", "shift"]
