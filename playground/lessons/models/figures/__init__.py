"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.models.figures.lanes import lanes
from playground.lessons.models.figures.pairs import pairs

__all__ = ["lanes", "pairs"]
