"""The pictures of this lesson: report → Plotly figure, readable at 360 px; knows no torch."""

from playground.lessons.tensors.figures.device_map import device_map
from playground.lessons.tensors.figures.memory_bars import memory_bars
from playground.lessons.tensors.figures.shared_memory import shared_memory

__all__ = ["device_map", "memory_bars", "shared_memory"]
