"""The experiments of the lesson on devices: settings → report, with torch."""

from playground.lessons.devices.experiment.placing import (
    pick_device,
    try_all_gpus,
    try_gpu,
    use_current_device,
    use_default_device,
    visible_devices,
)
from playground.lessons.devices.experiment.reading import (
    compare_devices,
    compare_memory_figures,
    read_gpus,
    read_server,
    run_nvidia_smi,
    use_device,
)

__all__ = [
    "compare_devices",
    "compare_memory_figures",
    "pick_device",
    "read_gpus",
    "read_server",
    "run_nvidia_smi",
    "try_all_gpus",
    "try_gpu",
    "use_current_device",
    "use_default_device",
    "use_device",
    "visible_devices",
]
