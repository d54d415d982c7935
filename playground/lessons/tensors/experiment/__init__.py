"""The torch code of this lesson: settings → report, one function for each settings class."""

from playground.lessons.tensors.experiment.creating import (
    allocate_empty,
    create_alike,
    create_tensor,
    print_tensor,
)
from playground.lessons.tensors.experiment.meeting import add_across_devices, fix_across_devices
from playground.lessons.tensors.experiment.memory import fill_memory, measure_tensor
from playground.lessons.tensors.experiment.moving import (
    compute_on_device,
    move_and_convert,
    move_tensor,
)
from playground.lessons.tensors.experiment.numpy_arrays import convert_to_numpy
from playground.lessons.tensors.experiment.transfer import measure_transfer, pin_tensor

__all__ = [
    "add_across_devices",
    "allocate_empty",
    "compute_on_device",
    "convert_to_numpy",
    "create_alike",
    "create_tensor",
    "fill_memory",
    "fix_across_devices",
    "measure_tensor",
    "measure_transfer",
    "move_and_convert",
    "move_tensor",
    "pin_tensor",
    "print_tensor",
]
