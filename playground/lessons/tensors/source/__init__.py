"""The programs that the student reads and takes away: settings → plain PyTorch, tested to agree."""

from playground.lessons.tensors.source.creating import (
    allocate_empty,
    create_alike,
    create_tensor,
    print_tensor,
)
from playground.lessons.tensors.source.meeting import (
    add_across_devices,
    convert_to_numpy,
    fix_across_devices,
    mend_meeting,
)
from playground.lessons.tensors.source.memory import (
    fill_memory,
    measure_tensor,
    measure_transfer,
    pin_tensor,
)
from playground.lessons.tensors.source.moving import (
    compute_on_device,
    move_and_convert,
    move_tensor,
)

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
    "mend_meeting",
    "move_and_convert",
    "move_tensor",
    "pin_tensor",
    "print_tensor",
]
