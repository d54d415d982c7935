"""Torch's answers on machines that are not here: set on the real torch for one test."""

from types import SimpleNamespace

import pytest
import torch


def torch_sees_cuda(patch: pytest.MonkeyPatch, *gpus: dict[str, object], hip: str | None = None):
    """Make torch a CUDA (or ROCm) build that sees these GPUs, fastest first."""
    _torch_sees(patch, "cuda", len(gpus))
    patch.setattr(torch.version, "cuda", None if hip else "13.0")
    patch.setattr(torch.version, "hip", hip)
    properties = [
        SimpleNamespace(
            name=gpu["name"],
            uuid=str(gpu["uuid"]).removeprefix("GPU-").removeprefix("MIG-"),
            total_memory=gpu["memory"][0],
            multi_processor_count=132,
            gcnArchName="gfx942:sramecc+:xnack-" if hip else "",
        )
        for gpu in gpus
    ]
    patch.setattr(torch.cuda, "get_device_properties", properties.__getitem__)
    patch.setattr(torch.cuda, "get_device_name", lambda index: gpus[index]["name"])
    patch.setattr(torch.cuda, "get_device_capability", lambda index: gpus[index]["capability"])

    def mem_get_info(index: int) -> tuple[int, int]:
        total, used = gpus[index]["memory"]
        return total - used, total

    patch.setattr(torch.cuda, "mem_get_info", mem_get_info)


def torch_sees_xpu(patch: pytest.MonkeyPatch) -> None:
    _torch_sees(patch, "xpu", 1)
    properties = SimpleNamespace(name="Intel Test", total_memory=8 * 2**30, max_compute_units=64)
    patch.setattr(torch.xpu, "get_device_properties", lambda _index: properties)


def torch_sees_mps(patch: pytest.MonkeyPatch) -> None:
    _torch_sees(patch, "mps", 1)
    patch.setattr(torch.mps, "recommended_max_memory", lambda: 12 * 2**30)
    patch.setattr(torch.mps, "driver_allocated_memory", lambda: 2**20)


def _torch_sees(patch: pytest.MonkeyPatch, kind: str, count: int) -> None:
    patch.setattr(torch.accelerator, "is_available", lambda: True)
    patch.setattr(torch.accelerator, "device_count", lambda: count)
    patch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device(kind))
