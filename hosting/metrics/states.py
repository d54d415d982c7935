"""What is read when Prometheus asks: workers, queues, crashes, sandbox, progress, GPU, memory."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from hosting import health, progress
from hosting.limits.kept_files import kept_bytes
from hosting.limits.sessions import open_pages
from playground import compute
from playground.compute.status import ComputeStatus
from playground.machines import nvml
from playground.sandbox import jail


class States(Collector):
    """Reads the server's parts, each time anew; none of it waits for anything."""

    def collect(self) -> Iterator[Metric]:
        """The metrics, in the order of the page."""
        status = compute.status()
        yield from _lanes(status)
        up = GaugeMetricFamily("playground_up", "Whether a part works.", labels=["part"])
        keeper = progress.current()
        for part, state in health.parts(status, jail.found(), keeper).items():
            if state is not health.State.ABSENT:
                up.add_metric([part], float(state is health.State.OK))
        yield up
        yield _gauge("playground_pages_open", "Browser tabs connected.", open_pages())
        waiting = jail.waiting()
        yield _gauge("playground_sandbox_waiting", "Cells and files that wait.", waiting)
        yield _count("playground_sandbox_restarts", "Zygotes lost and replaced.", jail.restarts())
        if keeper is not None:
            late, failed = keeper.waiting, keeper.failures
            yield _gauge("playground_progress_waiting", "Entries not yet in the database.", late)
            yield _count("playground_progress_failures", "Writes that failed.", failed)
        kept = sum(kept_bytes().values())
        yield _gauge("playground_uploads_bytes", "Uploaded files kept in memory.", kept)
        memory = _resident_bytes()
        yield _gauge("playground_web_memory_bytes", "Resident memory of the web process.", memory)
        yield from _gpus()


def _resident_bytes() -> int:
    import psutil  # when it is first asked for: a start need not wait for it

    return int(psutil.Process().memory_info().rss)


def _lanes(status: ComputeStatus) -> Iterator[Metric]:
    lane_label = ["lane"]
    workers = GaugeMetricFamily("playground_workers", "Workers that are up.", labels=lane_label)
    waiting = GaugeMetricFamily("playground_queue", "Experiments waiting.", labels=lane_label)
    running = GaugeMetricFamily("playground_running", "Experiments running.", labels=lane_label)
    crashes = CounterMetricFamily("playground_crashes", "Workers that died.", labels=lane_label)
    timeouts = CounterMetricFamily("playground_timeouts", "Workers killed.", labels=lane_label)
    lost = CounterMetricFamily("playground_lost_contexts", "Of CUDA.", labels=lane_label)
    for lane in status.lanes:
        workers.add_metric([lane.name], lane.workers)
        waiting.add_metric([lane.name], lane.waiting)
        running.add_metric([lane.name], lane.running)
        crashes.add_metric([lane.name], lane.crashes)
        timeouts.add_metric([lane.name], lane.timeouts)
        lost.add_metric([lane.name], lane.losses)
    yield from (workers, waiting, running, crashes, timeouts, lost)


def _gpus() -> Iterator[Metric]:
    used = GaugeMetricFamily("playground_gpu_memory_used_bytes", "Memory in use.", labels=["gpu"])
    total = GaugeMetricFamily("playground_gpu_memory_bytes", "Memory there is.", labels=["gpu"])
    driver = nvml.read_driver()
    for place, gpu in enumerate(driver.gpus if driver else ()):
        if gpu.memory_used_bytes is not None and gpu.memory_total_bytes is not None:
            used.add_metric([str(place)], gpu.memory_used_bytes)
            total.add_metric([str(place)], gpu.memory_total_bytes)
    yield from (used, total)


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def _count(name: str, meaning: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, meaning, value=value)
