"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.save_and_load.figures.curves import curves
from playground.lessons.save_and_load.figures.formats import formats
from playground.lessons.save_and_load.figures.keys import keys
from playground.lessons.save_and_load.figures.machines import machines
from playground.lessons.save_and_load.figures.outputs import outputs
from playground.lessons.save_and_load.figures.storage import storage
from playground.lessons.save_and_load.figures.trip import trip

__all__ = ["curves", "formats", "keys", "machines", "outputs", "storage", "trip"]
