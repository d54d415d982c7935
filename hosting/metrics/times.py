"""The times that are measured as they happen, and who adds to them."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from prometheus_client import CollectorRegistry, Histogram

from playground.errors import PlaygroundError

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
REGISTRY = CollectorRegistry()
RERUNS = Histogram(
    "playground_rerun_seconds",
    "From a click's arrival until its page is drawn.",
    buckets=BUCKETS,
    registry=REGISTRY,
)
EXPERIMENTS = Histogram(
    "playground_experiment_seconds",
    "An experiment as a page waits for it: queue and cache included.",
    ["outcome"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
LAB_RUNS = Histogram(
    "playground_lab_seconds",
    "A cell of the lab, from the click until its report: queue included.",
    ["outcome"],
    buckets=BUCKETS,
    registry=REGISTRY,
)


@contextmanager
def timing(times: Histogram) -> Iterator[None]:
    """Time what somebody waits for; a refusal or a crash is an outcome too."""
    began, outcome = time.perf_counter(), "left"  # as a visitor does who clicks again
    try:
        yield
        outcome = "done"
    except PlaygroundError as error:
        outcome = error.key
        raise
    finally:
        times.labels(outcome).observe(time.perf_counter() - began)


def experiment() -> AbstractContextManager[None]:
    """Time an experiment."""
    return timing(EXPERIMENTS)


def lab_run() -> AbstractContextManager[None]:
    """Time a run in the lab."""
    return timing(LAB_RUNS)
