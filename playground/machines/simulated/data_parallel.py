"""``nn.DataParallel`` on simulated GPUs: parts of the batch on copies of the module, one by one.

CUDA runs the copies at the same time, in threads. Shapes, devices, outputs and gradients are the
same.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from playground.machines.simulated.host import this_thread
from playground.machines.simulated.storages import torch_device

ELSEWHERE = (
    "module must have its parameters and buffers on device {} (device_ids[0]) but found one of"
    " them on device: {}"
)
SCALARS = (
    "Was asked to gather along dimension 0, but all input tensors were scalars; will instead"
    " unsqueeze and return a vector."
)


class SimulatedDataParallel(nn.Module):
    """Splits the batch among devices.

    Args:
        module: On the first device.
        device_ids: The devices; all by default.
        output_device: Of the output; the first one by default.
        dim: Of the batch.
    """

    def __init__(
        self,
        module: nn.Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        host = this_thread.host
        assert host is not None
        given = range(len(host.start_driver())) if device_ids is None else device_ids
        self.device_ids = [host.check(_index(each)) for each in given]
        if not self.device_ids:
            raise RuntimeError("no available devices were found")
        self.output_device = _index(self.device_ids[0] if output_device is None else output_device)
        self.module, self.dim = module, dim
        self.src_device_obj = torch_device(self.device_ids[0])

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the module, on several devices if the batch has several rows.

        Raises:
            RuntimeError: A parameter or a buffer is not on the first device.
        """
        for each in chain(self.module.parameters(), self.module.buffers()):
            if each.device != self.src_device_obj:
                raise RuntimeError(ELSEWHERE.format(self.src_device_obj, each.device))
        devices = [torch_device(index) for index in self.device_ids]
        parts = _scatter((inputs, kwargs), devices, self.dim)
        if len(parts) == 1 or len(devices) == 1:
            return self.module(*parts[0][0], **parts[0][1])
        outputs = [
            self._replica(device)(*args, **words)
            for device, (args, words) in zip(devices, parts, strict=False)
        ]
        return _gather(outputs, torch_device(self.output_device), self.dim)

    def _get_name(self) -> str:
        return "DataParallel"

    def _replica(self, device: torch.device) -> Callable[..., Any]:
        if device == self.src_device_obj:
            return self.module
        state = {
            name: each.to(device)
            for name, each in chain(self.module.named_parameters(), self.module.named_buffers())
        }

        def call(*args: Any, **words: Any) -> Any:
            with torch.cuda.device(device):
                return functional_call(self.module, state, args, words)

        return call


def _index(device: Any) -> int:
    return device if isinstance(device, int) else torch.device(device).index or 0


def _scatter(value: Any, devices: Sequence[torch.device], dim: int) -> list[Any]:
    """Return the part of each device; there are fewer than devices if a tensor has few rows."""
    if isinstance(value, Tensor):
        return [
            part.to(device)
            for part, device in zip(value.chunk(len(devices), dim), devices, strict=False)
        ]
    if isinstance(value, tuple | list) and value:
        columns = [_scatter(each, devices, dim) for each in value]
        return [type(value)(row) for row in zip(*columns, strict=False)]
    if isinstance(value, Mapping) and value:
        columns = [_scatter(each, devices, dim) for each in value.values()]
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=False)]
    return [value for _ in devices]


def _gather(outputs: Sequence[Any], device: torch.device, dim: int) -> Any:
    """Concatenate the outputs of the devices."""
    first = outputs[0]
    if isinstance(first, Tensor):
        if first.dim() == 0 and dim == 0:
            warnings.warn(SCALARS, stacklevel=2)
            outputs = [each.reshape(1) for each in outputs]
        return torch.cat([each.to(device) for each in outputs], dim)
    if isinstance(first, Mapping):
        return {key: _gather([each[key] for each in outputs], device, dim) for key in first}
    if first is None:
        return None
    return type(first)(_gather(each, device, dim) for each in zip(*outputs, strict=True))
