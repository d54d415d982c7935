"""GPU memory quotas: how many experiments run on the GPUs at once, and what each may allocate.

They are computed from the driver's readings, before a worker exists and without torch. A quota then
travels to its worker, which holds itself to it.
"""

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from playground.machines import gpu_detection, nvml
from playground.machines.hardware import Accelerator, AcceleratorKind
from playground.machines.visible_devices import visible_gpus
from playground.units import GIBIBYTE, MEBIBYTE

CONTEXT_LOST = 75  # exit code of a worker whose CUDA context is lost
CONTEXT_BYTES = 768 * MEBIBYTE  # set aside per worker and GPU: CUDA's context, loaded kernels
MIN_SHARED_BYTES = 2 * GIBIBYTE  # experiments share a GPU where each of them can have this much
MIN_BYTES = 256 * MEBIBYTE  # with less, a GPU is of no use
MAX_EXPERIMENTS = 4  # on one GPU, unless the operator says otherwise
WORKER_MODULE = "playground.compute.worker"
VISIBLE = "CUDA_VISIBLE_DEVICES"


class GpuUnusableError(RuntimeError):
    """A worker cannot use the GPUs that it was given; the text is CUDA's, for the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuQuota:
    """A worker's share of the GPUs: which it sees, and how much it may allocate on each.

    Attributes:
        visible: Value of its ``CUDA_VISIBLE_DEVICES``; None keeps the server's.
        limits: Bytes that it may allocate on each GPU, in ``cuda:i`` order.
        percent: Of the memory of a GPU that has no limit above.
        expects_cuda: The worker is of no use without CUDA; an Apple or Intel GPU does not have it.
    """

    visible: str | None = None
    limits: tuple[int, ...] = ()
    percent: int = 90
    expects_cuda: bool = False

    def hide_others(self) -> None:
        """Let this process see its GPUs and no others; call it before torch is imported."""
        if self.visible is not None:
            os.environ[VISIBLE] = self.visible

    def apply(self) -> None:
        """Limit this process to its quota, and let every GPU compute once.

        Raises:
            GpuUnusableError: A GPU does not compute, or is missing.
        """
        importlib.import_module(WORKER_MODULE).apply_quota(self)

    def limit_bytes(self, index: int, total_bytes: int) -> int:
        """Return the bytes that may be allocated on ``cuda:index``.

        >>> GpuQuota(limits=(3,), percent=50).limit_bytes(0, 10), GpuQuota().limit_bytes(0, 100)
        (3, 90)
        """
        has_limit = index < len(self.limits)
        given = self.limits[index] if has_limit else total_bytes * self.percent // 100
        return min(given, total_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPolicy:
    """The operator's decisions.

    Attributes:
        experiments_at_once: On one GPU; 0 lets its memory decide. More than have room never run.
        memory_percent: Of each GPU's memory, what all experiments together may take.
    """

    experiments_at_once: int = 0
    memory_percent: int = 90


_policy = [GpuPolicy()]


def set_policy(policy: GpuPolicy) -> None:
    """Plan by this policy from now on; workers that run already keep their quotas."""
    _policy[:] = [policy]


def plan_quotas() -> tuple[GpuQuota, ...]:
    """Return one quota per worker that this computer's GPUs have room for now."""
    if not gpu_detection.count_gpus():
        return ()
    driver = None if gpu_detection.torch_build().startswith("rocm") else nvml.read_driver()
    if driver is None or not driver.gpus:  # another vendor's GPU: only torch can read it
        return (GpuQuota(percent=_policy[0].memory_percent, expects_cuda=_expects_cuda()),)
    return plan(_visible(driver.gpus), _policy[0])


def is_wanted() -> bool:
    """Return whether this computer has a GPU for experiments, its driver answering or not."""
    return gpu_detection.count_gpus() > 0 or gpu_detection.has_unresponsive_gpu()


def plan(gpus: Sequence[Accelerator], policy: GpuPolicy) -> tuple[GpuQuota, ...]:
    """Divide GPUs among workers.

    Every worker sees all GPUs, so all might allocate on the same one: together the limits fit
    there. Where the GPUs are alike, ``cuda:0`` is a different one for each worker, which spreads
    the experiments. CUDA shows a process only one MIG slice, so each worker has one slice.

    Args:
        gpus: Those that may be used, in the order in which CUDA is to number them.
        policy: The operator's.
    """
    min_room = MIN_BYTES + CONTEXT_BYTES
    usable = [gpu for gpu in gpus if gpu.uuid and _room(gpu, policy) >= min_room]
    if not usable:
        return ()
    if any(gpu.kind == AcceleratorKind.MIG for gpu in usable):
        slices = [gpu for gpu in usable if gpu.kind == AcceleratorKind.MIG]
        return tuple(quota for gpu in slices for quota in _divide([gpu], policy))
    return _divide(usable, policy)


def _divide(gpus: Sequence[Accelerator], policy: GpuPolicy) -> tuple[GpuQuota, ...]:
    smallest = min(_room(gpu, policy) for gpu in gpus)
    are_alike = len({(gpu.name, gpu.memory_total_bytes) for gpu in gpus}) == 1
    starts = len(gpus) if are_alike else 1
    asked = policy.experiments_at_once or MAX_EXPERIMENTS
    workers = max(1, min(asked * starts, smallest // (MIN_SHARED_BYTES + CONTEXT_BYTES)))
    quotas = []
    for worker in range(workers):
        first = worker % starts
        ordered = [*gpus[first:], *gpus[:first]]
        quotas.append(
            GpuQuota(
                visible=",".join(str(gpu.uuid) for gpu in ordered),
                limits=tuple(_room(gpu, policy) // workers - CONTEXT_BYTES for gpu in ordered),
                percent=policy.memory_percent,
                expects_cuda=True,
            )
        )
    return tuple(quotas)


def _room(gpu: Accelerator, policy: GpuPolicy) -> int:
    """Return the bytes that all workers may take together, with their contexts."""
    total = gpu.memory_total_bytes or 0
    free = total if gpu.memory_free_bytes is None else gpu.memory_free_bytes
    return min(total * policy.memory_percent // 100, free)


def _visible(gpus: tuple[Accelerator, ...]) -> tuple[Accelerator, ...]:
    """Select what the server's own ``CUDA_VISIBLE_DEVICES`` leaves; numbers are nvidia-smi's."""
    value = os.environ.get(VISIBLE)
    if value is None or value.startswith(("GPU-", "MIG-")):
        return tuple(gpus[place] for place in visible_gpus(value, [gpu.uuid or "" for gpu in gpus]))
    physical = {gpu.physical_index for gpu in gpus}
    order = visible_gpus(value, [""] * len(physical))
    return tuple(gpu for index in order for gpu in gpus if gpu.physical_index == index)


def _expects_cuda() -> bool:
    return gpu_detection.torch_build() != "cpu" and gpu_detection.count_cuda_gpus() > 0
