"""The pictures of this lesson: SVG while it runs, Plotly afterwards; knows no torch."""

from playground.lessons.training.figures.charts import clipped, plane, run_curves, several_curves
from playground.lessons.training.figures.live import live_curves, live_training

__all__ = ["clipped", "live_curves", "live_training", "plane", "run_curves", "several_curves"]
