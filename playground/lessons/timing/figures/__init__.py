"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.timing.figures.lines import bandwidths, product_times
from playground.lessons.timing.figures.live import live
from playground.lessons.timing.figures.rows import clocks, pieces, runs

__all__ = ["bandwidths", "clocks", "live", "pieces", "product_times", "runs"]
