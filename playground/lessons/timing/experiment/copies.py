"""Copies of bytes, within the host and between host and GPU; all memory is there beforehand."""

from collections.abc import Callable

import torch

from playground.compute import Tell, tell_nobody
from playground.lessons.timing.experiment.clock import (
    Budget,
    cpu_threads,
    take_times,
    timed_devices,
    wait_for,
)
from playground.lessons.timing.records import (
    CopyPoint,
    CopyProgress,
    MeasureBandwidth,
    MeasureBandwidthReport,
    SplitCopy,
    SplitCopyReport,
    SplitPoint,
    SplitProgress,
    Way,
)
from playground.machines.machine import DeviceName

TO_GPU = (Way.HOST_TO_DEVICE, Way.PINNED_TO_DEVICE)
ALL_WITH_GPU = (*TO_GPU, Way.DEVICE_TO_HOST, Way.DEVICE_TO_PINNED)


def measure_bandwidth(
    settings: MeasureBandwidth, tell: Tell[CopyProgress] = tell_nobody
) -> MeasureBandwidthReport:
    """Time copies of growing size on every way that there is."""
    devices = timed_devices(settings.machine)
    sizes = settings.sizes_bytes
    total = len(sizes) * (1 + len(ALL_WITH_GPU) * (len(devices) - 1))
    budget = Budget(settings.TOTAL_SECONDS)
    points: list[CopyPoint] = []
    with cpu_threads(uses_all=False) as threads:
        for device in devices:
            for way in (Way.HOST_TO_HOST,) if device == "cpu" else ALL_WITH_GPU:
                if budget.is_used_up:
                    break
                source, target = _two_sides(way, device, sizes[-1])
                for size in sizes:
                    tell(
                        CopyProgress(
                            done=len(points), total=total, device=device, points=tuple(points)
                        )
                    )
                    copy = _copying(target[:size], source[:size])
                    copy()  # warm-up
                    seconds = take_times(
                        copy, device, repeats=settings.REPEATS, seconds=settings.POINT_SECONDS
                    )
                    points.append(CopyPoint.of(seconds, device=device, way=way, size_bytes=size))
    return MeasureBandwidthReport(
        machine=settings.machine,
        devices=tuple(dict.fromkeys(point.device for point in points)),
        threads=threads,
        is_cut_short=len(points) < total,
        points=tuple(points),
    )


def split_copy(settings: SplitCopy, tell: Tell[SplitProgress] = tell_nobody) -> SplitCopyReport:
    """Time one big copy and many small ones of the same bytes."""
    devices = timed_devices(settings.machine)
    total = 2 + 2 * len(TO_GPU) * (len(devices) - 1)
    budget = Budget(settings.TOTAL_SECONDS)
    points: list[SplitPoint] = []
    with cpu_threads(uses_all=False) as threads:
        for device in devices:
            for way in (Way.HOST_TO_HOST,) if device == "cpu" else TO_GPU:
                if budget.is_used_up:
                    break
                source, target = _two_sides(way, device, settings.size_bytes)
                for pieces in (1, settings.pieces):
                    tell(SplitProgress(done=len(points), total=total, device=device))
                    copy_all = _copying_pieces(target, source, pieces)
                    copy_all()  # warm-up
                    seconds = take_times(
                        copy_all, device, repeats=settings.REPEATS, seconds=settings.POINT_SECONDS
                    )
                    points.append(
                        SplitPoint.of(
                            seconds,
                            device=device,
                            way=way,
                            pieces=pieces,
                            piece_bytes=settings.size_bytes // pieces,
                        )
                    )
    return SplitCopyReport(
        machine=settings.machine,
        devices=tuple(dict.fromkeys(point.device for point in points)),
        threads=threads,
        is_cut_short=len(points) < total,
        size_bytes=settings.size_bytes,
        pieces=settings.pieces,
        points=tuple(points),
    )


def _two_sides(way: Way, device: DeviceName, size_bytes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Source and target, both written once: memory that was only promised would count twice."""
    host = torch.ones(size_bytes, dtype=torch.uint8)
    if way.is_pinned:
        host = host.pin_memory()
    there = torch.zeros(size_bytes, dtype=torch.uint8, device=device)
    wait_for(device)
    is_back = way in {Way.DEVICE_TO_HOST, Way.DEVICE_TO_PINNED}
    return (there, host) if is_back else (host, there)


def _copying(target: torch.Tensor, source: torch.Tensor) -> Callable[[], object]:
    return lambda: target.copy_(source)


def _copying_pieces(
    target: torch.Tensor, source: torch.Tensor, pieces: int
) -> Callable[[], object]:
    pairs = list(zip(target.chunk(pieces), source.chunk(pieces), strict=True))

    def copy_all() -> None:
        for target_piece, source_piece in pairs:
            target_piece.copy_(source_piece)

    return copy_all
