"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.lazy_layers.figures.decided import decided
from playground.lessons.lazy_layers.figures.draws import draws
from playground.lessons.lazy_layers.figures.marks import marks
from playground.lessons.lazy_layers.figures.timeline import timeline

__all__ = ["decided", "draws", "marks", "timeline"]
