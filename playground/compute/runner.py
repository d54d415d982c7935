"""Decides where an experiment runs: in which lane, from the cache, or in this process."""

import logging
import math
import os
import pickle
import threading
import weakref
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from playground.compute import cluster, gpu_plan, inline, start_method
from playground.compute.answer import Failure
from playground.compute.cache import ReportCache, cache_key
from playground.compute.progress import SILENT, Progress
from playground.compute.settings import Settings
from playground.compute.status import UNAVAILABLE, ComputeStatus
from playground.compute.streaming import Stream, StreamSettings
from playground.compute.turnstile import Turnstile
from playground.errors import ComputeUnavailableError, ExperimentCrashedError, PlaygroundError
from playground.machines import Machine, MachineKind, presence

if TYPE_CHECKING:
    from playground.compute.lane import Lane

MOST_CPU_WORKERS = 4
ReportT = TypeVar("ReportT")
ProgressT = TypeVar("ProgressT")
Lanes: TypeAlias = "dict[str, Lane]"
_count_gpus_here = cache(presence.count_cuda_gpus)
_log = logging.getLogger(__name__)


def build_lanes() -> Lanes:
    """The lanes of this host, not yet started."""
    from playground.compute.gpu_lane import GpuLane  # a first page needs none of it
    from playground.compute.lane import Lane

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    lanes = {
        "cpu": Lane(
            "cpu",
            workers=min(cores or 1, MOST_CPU_WORKERS),
            context=start_method.quickest(),
            hides_cuda=True,
        )
    }
    if gpu_plan.is_wanted():
        lanes["gpu"] = GpuLane(start_method.Spawn())
    return lanes


class Runner:
    """The lanes, and before them the cache and the turnstile of the measurements.

    Args:
        build: Makes the lanes.
    """

    def __init__(self, build: Callable[[], Lanes] = build_lanes) -> None:
        self._build = build
        self._is_on_cluster = False
        self._lock = threading.Lock()
        self._lanes: Lanes = {}
        self._cache = ReportCache()
        self._turnstile = Turnstile()
        self._is_wanted = False
        # Also when a hot reload drops this module: then nobody else would end the workers.
        self._end = weakref.finalize(self, _stop_lanes, self._lanes)

    def start(self, cluster_address: str = "", after: Callable[[], object] | None = None) -> None:
        """Start the lanes in the background; ``compute.start`` says which and when."""
        if cluster_address:
            self._is_on_cluster = True
            self._build = partial(cluster.build_lanes, cluster_address)
        self._is_wanted = True

        def start_in_time() -> None:
            if after:
                after()
            self._start_lanes()

        threading.Thread(target=start_in_time, name="compute-start", daemon=True).start()

    def stop(self) -> None:
        """End all workers, and the server that forked them; a later run starts them again."""
        self._is_wanted = False
        with self._lock:
            _stop_lanes(self._lanes)
            self._cache = ReportCache()

    def status(self) -> ComputeStatus:
        """What each lane is doing."""
        lanes = tuple(self._lanes.values())
        return ComputeStatus(
            lanes=tuple(lane.status() for lane in lanes if lane.exists),
            is_awaited=self._is_wanted and not lanes,
        )

    def count_gpus(self) -> int:
        """How many CUDA devices an experiment on the real machine may use."""
        if self._is_on_cluster:
            return int("gpu" in self._lanes and self._lanes["gpu"].exists)
        if not (found := _count_gpus_here()) and self._has_gpu():
            _count_gpus_here.cache_clear()  # its driver did not answer when this was first asked
        return found

    def run(
        self,
        settings: Settings[ReportT],
        timeout: float | None = None,
        progress: Progress = SILENT,
    ) -> ReportT:
        """Run an experiment; ``compute.run`` says how."""
        check_call(settings, timeout)
        if inline.is_inline():
            inline_report: ReportT = inline.run_inline(settings)
            return inline_report
        report: ReportT = pickle.loads(  # noqa: S301 - written by our own worker
            self._fetch(settings, timeout, progress)
        )
        return report

    def stream(
        self,
        settings: StreamSettings[ReportT, ProgressT],
        timeout: float | None = None,
        progress: Progress = SILENT,
    ) -> Stream[ReportT, ProgressT]:
        """Run an experiment that tells its progress; ``compute.stream`` says how."""
        check_call(settings, timeout)

        def work(progress: Progress) -> bytes:
            return self._fetch(settings, timeout, progress)

        def work_inline(progress: Progress) -> bytes:
            def tell(record: object) -> None:
                progress.tells(pickle.dumps(record))

            return pickle.dumps(inline.run_inline(settings, tell))

        is_inline = inline.is_inline()
        return Stream(work_inline if is_inline else work, progress, is_patient=is_inline)

    def _fetch(self, settings: Settings[Any], timeout: float | None, progress: Progress) -> bytes:
        """The pickled report, from the cache or from a worker."""
        limit = settings.timeout_seconds if timeout is None else timeout

        def compute(progress: Progress) -> bytes:
            if not settings.measures:
                return self._compute(settings, limit, progress)
            with self._turnstile.passing(progress):
                return self._compute(settings, limit, progress)

        if settings.deterministic:
            # What the CPU answers while the GPU is away is not kept for when it is back.
            return self._cache.fetch((cache_key(settings), self._has_gpu()), compute, progress)
        return compute(progress)

    def _compute(self, settings: Settings[Any], limit: float, progress: Progress) -> bytes:
        self._is_wanted = True
        self._start_lanes()
        name = lane_name(settings, has_gpu_lane=self._has_gpu())
        lane = self._lanes.get(name)
        if lane is None:  # stopped in this very moment
            raise ComputeUnavailableError(UNAVAILABLE, lane=name)
        answer = lane.run(pickle.dumps(settings), limit, progress)
        if isinstance(answer, PlaygroundError):
            raise answer
        if isinstance(answer, Failure):
            what = (answer.experiment, answer.error_type, answer.traceback)
            _log.error("experiment %s failed: %s at\n%s", *what)
            raise ExperimentCrashedError(
                "failed", experiment=answer.experiment, error_type=answer.error_type
            )
        return answer

    def _has_gpu(self) -> bool:
        return "gpu" in self._lanes and self._lanes["gpu"].is_open

    def _start_lanes(self) -> None:
        with self._lock:  # also against a stop: what it ends does not come back
            if self._is_wanted and not self._lanes:
                start_method.hold_fork_server()
                self._lanes.update(self._build())
                for lane in self._lanes.values():
                    lane.start()


def check_call(settings: object, timeout: float | None) -> None:
    """Refuse what is no settings record, and what is no limit.

    Raises:
        TypeError: It is no settings record.
        ValueError: The timeout is not a finite number above 0; for pebble, 0 and NaN mean that a
            task may take forever.
    """
    if not isinstance(settings, Settings):
        raise TypeError(f"settings must be a settings record, not {settings!r:.80}")
    seconds = settings.timeout_seconds if timeout is None else timeout
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < math.inf:
        raise ValueError(f"timeout must be a finite number above 0, not {seconds!r:.80}")


def lane_name(settings: Settings[Any], *, has_gpu_lane: bool) -> str:
    """Choose the lane: ``"gpu"`` for settings that touch the devices of a real machine."""
    machine = getattr(settings, "machine", None)
    is_real = isinstance(machine, Machine) and machine.kind == MachineKind.REAL
    return "gpu" if has_gpu_lane and is_real and settings.uses_hardware else "cpu"


def _stop_lanes(lanes: Lanes) -> None:
    if not lanes:
        return
    stopping = [threading.Thread(target=lane.stop, name="lane-stopping") for lane in lanes.values()]
    for thread in stopping:
        thread.start()
    for thread in stopping:
        thread.join()
    lanes.clear()
    start_method.leave_fork_server()
