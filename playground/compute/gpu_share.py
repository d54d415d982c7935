"""What one worker may see and take of the GPUs; travels to its process, and knows no torch."""

import importlib
import os
from dataclasses import dataclass

CONTEXT_LOST = 75  # with this exit code a worker says that its CUDA context is of no use any more
GPU_MODULE = "playground.compute.gpu_process"
VISIBLE = "CUDA_VISIBLE_DEVICES"


class GpuUnusableError(RuntimeError):
    """A worker cannot use the GPUs that it was given; the text is CUDA's, for the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuShare:
    """A worker's share.

    Attributes:
        visible: What its ``CUDA_VISIBLE_DEVICES`` is; None leaves the server's.
        limits: Bytes that it may allocate on each GPU, in ``cuda:i`` order.
        percent: Of the memory of a GPU that has no limit above.
        expects_cuda: It is of no use without CUDA; an Apple or Intel GPU does not have it.
    """

    visible: str | None = None
    limits: tuple[int, ...] = ()
    percent: int = 90
    expects_cuda: bool = False

    def show(self) -> None:
        """Let this process see its GPUs and no others; call it before torch is imported."""
        if self.visible is not None:
            os.environ[VISIBLE] = self.visible

    def settle(self) -> None:
        """Hold this process to its share, and let every GPU compute once.

        Raises:
            GpuUnusableError: One does not.
        """
        importlib.import_module(GPU_MODULE).settle(self)

    def limit_bytes(self, index: int, total_bytes: int) -> int:
        """What may be allocated on ``cuda:index``.

        >>> GpuShare(limits=(3,), percent=50).limit_bytes(0, 10), GpuShare().limit_bytes(0, 100)
        (3, 90)
        """
        given = self.limits[index] if index < len(self.limits) else self._part(total_bytes)
        return min(given, total_bytes)

    def _part(self, total_bytes: int) -> int:
        return total_bytes * self.percent // 100
