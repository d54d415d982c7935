"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.tied_parameters.figures.addition import addition
from playground.lessons.tied_parameters.figures.marks import replay, steps
from playground.lessons.tied_parameters.figures.names import ledger
from playground.lessons.tied_parameters.figures.places import places

__all__ = ["addition", "ledger", "places", "replay", "steps"]
