"""How many experiments run on the GPUs at once and how much memory each may take.

Computed from the driver's readings, before a worker exists and without torch.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from playground.compute.gpu_share import VISIBLE, GpuShare
from playground.machines import nvml, presence
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.machines.visible_devices import visible_gpus
from playground.units import GIBIBYTE, MEBIBYTE

CONTEXT_BYTES = 768 * MEBIBYTE  # set aside per worker and GPU: CUDA's context, loaded kernels
LEAST_BYTES = 2 * GIBIBYTE  # experiments share a GPU where each of them can have this much
LEAST_ALONE_BYTES = 256 * MEBIBYTE  # with less, a GPU is of no use
MOST_ON_ONE = 4  # unless the operator says otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPolicy:
    """What the operator decides.

    Attributes:
        experiments_at_once: On one GPU; 0 lets its memory decide. More than have room never run.
        memory_percent: Of each GPU's memory, what all experiments together may take.
    """

    experiments_at_once: int = 0
    memory_percent: int = 90


_policy = [GpuPolicy()]


def adopt(policy: GpuPolicy) -> None:
    """Plan by this policy from now on; it says nothing to workers that run already."""
    _policy[:] = [policy]


def shares() -> tuple[GpuShare, ...]:
    """One share per worker that this computer's GPUs have room for now; none if no GPU answers."""
    if not presence.count_gpus():
        return ()
    driver = None if presence.torch_build().startswith("rocm") else nvml.read_driver()
    if driver is None or not driver.gpus:  # another maker's GPU: what it has, only torch can say
        return (GpuShare(percent=_policy[0].memory_percent, expects_cuda=_expects_cuda()),)
    return plan(_visible(driver.gpus), _policy[0])


def is_wanted() -> bool:
    """Whether this computer has a GPU for experiments, be it one whose driver does not answer."""
    return presence.count_gpus() > 0 or presence.has_silent_gpu()


def plan(gpus: Sequence[Accelerator], policy: GpuPolicy) -> tuple[GpuShare, ...]:
    """Divide GPUs among workers.

    Every worker sees all GPUs, so each could take its limit on the same one: the limits are made
    so that all of them fit there. Where the GPUs are alike, each worker calls another one
    ``cuda:0``, so that experiments spread. CUDA shows a process one MIG slice only, so with slices
    each worker has one.

    Args:
        gpus: Those that may be used, in the order in which CUDA is to number them.
        policy: The operator's.
    """
    least = LEAST_ALONE_BYTES + CONTEXT_BYTES
    usable = [gpu for gpu in gpus if gpu.uuid and _room(gpu, policy) >= least]
    if not usable:
        return ()
    if any(gpu.kind == AcceleratorKind.MIG for gpu in usable):
        slices = [gpu for gpu in usable if gpu.kind == AcceleratorKind.MIG]
        return tuple(share for gpu in slices for share in _divided([gpu], policy))
    return _divided(usable, policy)


def _divided(gpus: Sequence[Accelerator], policy: GpuPolicy) -> tuple[GpuShare, ...]:
    tightest = min(_room(gpu, policy) for gpu in gpus)
    are_alike = len({(gpu.name, gpu.memory_total_bytes) for gpu in gpus}) == 1
    starts = len(gpus) if are_alike else 1
    asked = policy.experiments_at_once or MOST_ON_ONE
    workers = max(1, min(asked * starts, tightest // (LEAST_BYTES + CONTEXT_BYTES)))
    made = []
    for worker in range(workers):
        first = worker % starts
        turned = [*gpus[first:], *gpus[:first]]
        made.append(
            GpuShare(
                visible=",".join(str(gpu.uuid) for gpu in turned),
                limits=tuple(_room(gpu, policy) // workers - CONTEXT_BYTES for gpu in turned),
                percent=policy.memory_percent,
                expects_cuda=True,
            )
        )
    return tuple(made)


def _room(gpu: Accelerator, policy: GpuPolicy) -> int:
    """What the workers may take together, their contexts included, beside who is there already."""
    total = gpu.memory_total_bytes or 0
    free = total if gpu.memory_free_bytes is None else gpu.memory_free_bytes
    return min(total * policy.memory_percent // 100, free)


def _visible(gpus: tuple[Accelerator, ...]) -> tuple[Accelerator, ...]:
    """Those that the server's own ``CUDA_VISIBLE_DEVICES`` leaves; numbers are nvidia-smi's."""
    value = os.environ.get(VISIBLE)
    if value is None or value.startswith(("GPU-", "MIG-")):
        return tuple(gpus[place] for place in visible_gpus(value, [gpu.uuid or "" for gpu in gpus]))
    physical = {gpu.physical_index for gpu in gpus}
    order = visible_gpus(value, [""] * len(physical))
    return tuple(gpu for index in order for gpu in gpus if gpu.physical_index == index)


def _expects_cuda() -> bool:
    return presence.torch_build() != "cpu" and presence.count_cuda_gpus() > 0
