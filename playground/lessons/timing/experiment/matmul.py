"""Matrix products of growing size; a size that would take too long is not begun."""

import time
from collections.abc import Callable

import torch

from playground.compute import Tell, attempt, tell_nobody
from playground.lessons.timing.experiment.clock import (
    Budget,
    cpu_threads,
    take_times,
    timed_devices,
    wait_for,
)
from playground.lessons.timing.records import (
    DataType,
    MatmulPoint,
    MatmulProgress,
    MatmulSweep,
    MatmulSweepReport,
    Skipped,
    SkipReason,
)
from playground.machines.machine import DeviceName

PROBE_SIZE = 64  # so small that it takes a millisecond at most, wherever it runs
GAP = 4
GROWTH_MARGIN = 3.0  # beyond the caches a product takes longer than its operations say

Known = tuple[int, float]  # rows, and the seconds of a product


def matmul_sweep(
    settings: MatmulSweep, tell: Tell[MatmulProgress] = tell_nobody
) -> MatmulSweepReport:
    """Measure every device and dtype over the sizes, as far as the time allows."""
    with cpu_threads(uses_all=settings.all_threads) as threads:
        sweep = _Sweep(settings, tell)
        sweep.run()
        return MatmulSweepReport(
            machine=settings.machine,
            devices=sweep.devices,
            threads=threads,
            points=tuple(sweep.points),
            skipped=tuple(sweep.skipped),
        )


class _Sweep:
    """What was measured so far, and what is still to do."""

    def __init__(self, settings: MatmulSweep, tell: Tell[MatmulProgress]) -> None:
        self.settings = settings
        self.devices = timed_devices(settings.machine)
        self.points: list[MatmulPoint] = []
        self.skipped: list[Skipped] = []
        self._tell = tell
        self._done = 0
        self._budget = Budget(settings.TOTAL_SECONDS)

    def run(self) -> None:
        for device in self.devices:
            for dtype in self.settings.dtypes:
                measured = self._measure_line(device, dtype)
                self._done += len(self.settings.sizes) - measured  # these are not tried at all

    def _measure_line(self, device: DeviceName, dtype: DataType) -> int:
        """Measure one line of the picture; return how many of its sizes."""
        before: Known | None = None
        for index, size in enumerate(self.settings.sizes):
            self._say(device, dtype, size)
            before = self._judge(device, dtype, size, before)
            if before is None:
                return index
            expected = before[1] * max(1.0, (size / before[0]) ** 3)
            if self._budget.is_used_up:
                self._skip(device, dtype, size, SkipReason.OUT_OF_TIME, expected)
                return index
            if not self._has_time_for(size / before[0], expected):
                self._skip(device, dtype, size, SkipReason.TOO_SLOW, expected)
                return index
            seconds = self._measure(device, dtype, size)
            if seconds is None:
                return index
            self.points.append(MatmulPoint.of(seconds, device=device, size=size, dtype=dtype))
            before = size, self.points[-1].median_seconds
            self._done += 1
        return len(self.settings.sizes)

    def _has_time_for(self, growth: float, expected_seconds: float) -> bool:
        """One product must fit; a size that is no larger than a measured one is no risk."""
        margin = GROWTH_MARGIN if growth > 1 else 1.0
        return expected_seconds * margin <= self.settings.PRODUCT_SECONDS

    def _judge(
        self, device: DeviceName, dtype: DataType, size: int, before: Known | None
    ) -> Known | None:
        """A size that is near enough to tell how long this one will take, and its time.

        The one measured before it, unless there is none or it is much smaller: then single
        products lead up to it. None where torch refuses.
        """
        known = before or self._try(device, dtype, size, min(size, PROBE_SIZE))
        while known and size > GAP * known[0] and self._has_time_for(GAP, known[1] * GAP**3):
            known = self._try(device, dtype, size, GAP * known[0])
        return known

    def _try(self, device: DeviceName, dtype: DataType, wanted: int, size: int) -> Known | None:
        """Time a single product on the way to the size that is wanted."""
        product, outcome = attempt(lambda: _product(device, dtype, size))
        if product is None:
            self._skip(device, dtype, wanted, SkipReason.REFUSED, message=outcome.message)
            return None
        product()
        wait_for(device)
        begin = time.perf_counter()
        product()
        wait_for(device)
        return size, time.perf_counter() - begin

    def _measure(self, device: DeviceName, dtype: DataType, size: int) -> list[float] | None:
        """The times of one point; None where torch refuses, or the warm-up took too long."""

        def measure() -> list[float]:
            product = _product(device, dtype, size)
            (warm_up,) = take_times(product, device, repeats=1, seconds=0)
            if warm_up > self.settings.PRODUCT_SECONDS:
                self._skip(device, dtype, size, SkipReason.TOO_SLOW, warm_up)
                return []
            return take_times(
                product,
                device,
                repeats=self.settings.repeats,
                seconds=self.settings.POINT_SECONDS,
            )

        seconds, outcome = attempt(measure)
        if seconds is None:
            self._skip(device, dtype, size, SkipReason.REFUSED, message=outcome.message)
        return seconds or None

    def _skip(
        self,
        device: DeviceName,
        dtype: DataType,
        size: int,
        reason: SkipReason,
        expected_seconds: float = 0.0,
        message: str = "",
    ) -> None:
        self.skipped.append(
            Skipped(
                device=device,
                size=size,
                dtype=dtype,
                reason=reason,
                expected_seconds=expected_seconds,
                message=message,
            )
        )

    def _say(self, device: DeviceName, dtype: DataType, size: int) -> None:
        settings = self.settings
        self._tell(
            MatmulProgress(
                done=self._done,
                total=len(self.devices) * len(settings.dtypes) * len(settings.sizes),
                device=device,
                dtype=dtype,
                size=size,
                points=tuple(self.points),
            )
        )


def _product(device: DeviceName, dtype: DataType, size: int) -> Callable[[], torch.Tensor]:
    """Two matrices, and their product whenever it is asked for; refuses here if torch does."""
    kind = getattr(torch, dtype)
    left = torch.rand(size, size, device=device).to(kind)
    right = torch.rand(size, size, device=device).to(kind)
    torch.mm(left[:1, :1], right[:1, :1])
    return lambda: left @ right
