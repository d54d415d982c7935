"""A file saved on one machine and loaded on another; both may have simulated GPUs."""

from typing import Any

import torch
from torch import Tensor, nn

from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import scratch_folder
from playground.lessons.save_and_load.records import (
    GPUS_WHERE_SAVED,
    LoadElsewhere,
    LoadElsewhereReport,
    MapLocation,
)
from playground.machines.simulated import simulated_gpus

FILE = "mlp.params"
State = dict[str, Tensor]
GIVEN: dict[MapLocation, dict[str, Any]] = {
    MapLocation.LEFT_OUT: {},
    MapLocation.CPU: {"map_location": "cpu"},
    MapLocation.CUDA: {"map_location": "cuda"},
    MapLocation.BY_NAME: {"map_location": {"cuda:0": "cpu"}},
    MapLocation.FUNCTION: {"map_location": lambda storage, location: storage},  # noqa: ARG005
}


def load_elsewhere(settings: LoadElsewhere) -> LoadElsewhereReport:
    """Save on a machine with two GPUs; load where there are as many as the settings say."""
    with scratch_folder():
        save_there(settings)
        with simulated_gpus(GPUS_WHERE_SAVED):
            tags = _devices(torch.load(FILE))
        with simulated_gpus(settings.gpus):
            state, outcome = attempt(lambda: torch.load(FILE, **GIVEN[settings.map_location]))
            devices = _devices(state) if state is not None else ()
            model_device = None if state is None else _loaded_into(state)
            is_mended = None
            if state is None:
                mended = attempt(lambda: torch.load(FILE, map_location="cpu"))[1]
                is_mended = mended.ok
    return LoadElsewhereReport(
        outcome=outcome,
        source=settings.source,
        map_location=settings.map_location,
        gpus=settings.gpus,
        tags=tags,
        devices=devices,
        model_device=model_device,
        is_mended=is_mended,
    )


def save_there(settings: LoadElsewhere) -> None:
    """Write the file into the current folder."""
    with simulated_gpus(GPUS_WHERE_SAVED):
        torch.manual_seed(0)
        net = _make().to(str(settings.source))
        torch.save(net.state_dict(), FILE)


def _make() -> nn.Sequential:
    return nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))


def _devices(state: State) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(each.device)) for name, each in state.items())


def _loaded_into(state: State) -> str:
    net = _make()
    net.load_state_dict(state)
    return str(next(net.parameters()).device)
