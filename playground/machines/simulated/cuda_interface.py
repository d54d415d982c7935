"""Which function of ``torch.cuda`` and ``torch.accelerator`` is answered by which of ours.

An answer gets the host that the calling thread is inside, the function it stands in for, and that
function's arguments.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from playground.machines.simulated import gpu_memory, gpu_properties, gpu_random, gpu_selection
from playground.machines.simulated.host import SimulatedHost, refuse
from playground.machines.simulated.optimizer_groups import group_by_device_and_dtype

Answers = dict[str, Callable[..., Any]]


def _refused(what: str) -> Callable[..., NoReturn]:
    def answer(host: SimulatedHost, *_: object, **__: object) -> NoReturn:
        del host
        raise refuse(what)

    return answer


CUDA: Answers = {
    "is_available": gpu_selection.is_available,
    "device_count": gpu_selection.device_count,
    "current_device": gpu_selection.current_device,
    "set_device": gpu_selection.set_device,
    "_exchange_device": gpu_selection.exchange_device,
    "_maybe_exchange_device": gpu_selection.exchange_device,
    "init": gpu_selection.initialise,
    "_lazy_init": gpu_selection.initialise,
    "is_initialized": gpu_selection.is_initialized,
    "_is_in_bad_fork": gpu_selection.is_in_bad_fork,
    "synchronize": gpu_selection.synchronize,
    "current_stream": gpu_selection.current_stream,
    "default_stream": gpu_selection.current_stream,
    "is_current_stream_capturing": lambda *_: False,
    "get_device_properties": gpu_properties.get_device_properties,
    "get_device_name": gpu_properties.get_device_name,
    "get_device_capability": gpu_properties.get_device_capability,
    "can_device_access_peer": gpu_properties.can_device_access_peer,
    "memory_allocated": gpu_memory.figure("allocated"),
    "max_memory_allocated": gpu_memory.figure("peak_allocated"),
    "memory_reserved": gpu_memory.figure("reserved"),
    "max_memory_reserved": gpu_memory.figure("peak_reserved"),
    "memory_stats": gpu_memory.memory_stats,
    "mem_get_info": gpu_memory.mem_get_info,
    "reset_peak_memory_stats": gpu_memory.reset_peak_memory_stats,
    "reset_max_memory_allocated": gpu_memory.reset_peak_memory_stats,
    "empty_cache": gpu_memory.empty_cache,
    "manual_seed": gpu_random.manual_seed,
    "manual_seed_all": gpu_random.manual_seed_all,
    "initial_seed": gpu_random.initial_seed,
    "get_rng_state": gpu_random.get_rng_state,
    "set_rng_state": gpu_random.set_rng_state,
    "get_rng_state_all": gpu_random.get_rng_state_all,
    "set_rng_state_all": gpu_random.set_rng_state_all,
}
for _name in (
    "stream",
    "set_stream",
    "memory_summary",
    "memory_snapshot",
    "memory_usage",
    "utilization",
    "temperature",
    "power_draw",
    "clock_rate",
    "device_memory_used",
    "list_gpu_processes",
    "set_per_process_memory_fraction",
    "get_per_process_memory_fraction",
    "caching_allocator_alloc",
    "cudart",
    "ipc_collect",
    "seed",
    "seed_all",
):
    CUDA[_name] = _refused(f"torch.cuda.{_name}")

ACCELERATOR: Answers = {
    "is_available": gpu_selection.is_available,
    "device_count": gpu_selection.driver_count,
    "current_accelerator": gpu_selection.current_accelerator,
    "current_device_index": gpu_selection.current_device,
    "current_device_idx": gpu_selection.current_device,
    "set_device_index": gpu_selection.set_device,
    "set_device_idx": gpu_selection.set_device,
    "synchronize": gpu_selection.synchronize,
    "current_stream": gpu_selection.current_stream,
    "set_stream": _refused("torch.accelerator.set_stream"),
    "get_device_capability": _refused("torch.accelerator.get_device_capability"),
    "memory_allocated": gpu_memory.figure("allocated"),
    "max_memory_allocated": gpu_memory.figure("peak_allocated"),
    "memory_reserved": gpu_memory.figure("reserved"),
    "max_memory_reserved": gpu_memory.figure("peak_reserved"),
    "memory_stats": gpu_memory.memory_stats,
    "get_memory_info": gpu_memory.mem_get_info,
    "reset_peak_memory_stats": gpu_memory.reset_peak_memory_stats,
    "empty_cache": gpu_memory.empty_cache,
    "empty_host_cache": _refused("torch.accelerator.empty_host_cache"),
}

INTERNALS: Answers = {
    "_group_tensors_by_device_and_dtype": group_by_device_and_dtype,
    "_accelerator_getAccelerator": lambda *_: torch.device("cuda"),
    "_accelerator_exchangeDevice": gpu_selection.exchange_device,
    "_accelerator_maybeExchangeDevice": gpu_selection.exchange_device,
}

ANSWERS = (
    (torch.cuda, CUDA),
    (torch.cuda.memory, CUDA),
    (torch.cuda.random, CUDA),
    (torch.accelerator, ACCELERATOR),
    (torch.accelerator.memory, ACCELERATOR),
    (torch._C, INTERNALS),
)
