"""Run an experiment of the lesson in this process, with torch's state put back."""

from typing import Any

from playground.compute import torch_state
from playground.compute.dispatch import find_experiment


def run(settings: Any) -> Any:
    """The report of the experiment that belongs to the settings."""
    with torch_state.restored():
        return find_experiment(type(settings))(settings)
