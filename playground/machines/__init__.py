"""Devices: the real ones, and simulated ones. Importing this package loads no torch."""

from playground.machines.machine import DeviceName, Machine, MachineKind, device_names

__all__ = ["DeviceName", "Machine", "MachineKind", "device_names"]
