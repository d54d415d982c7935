"""Machines: the devices that an experiment runs on, real or simulated. Loads no torch itself.

``machine`` describes a machine as data, and ``machine_context`` runs code on it; ``simulated`` has
the simulated GPUs. ``inventory`` reads this computer's hardware into the records of ``hardware``,
through ``nvml`` where there is an NVIDIA driver. ``gpu_detection``, ``visible_devices`` and
``nvidia_smi`` answer questions about GPUs without loading torch.
"""

from playground.machines.machine import DeviceName, Machine, MachineKind, device_names

__all__ = ["DeviceName", "Machine", "MachineKind", "device_names"]
