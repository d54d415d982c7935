"""Prometheus metrics that are recorded as they happen; ``operator_api`` adds those of a moment."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hosting.framework_internals import is_rerun_request, is_run_end
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
OPEN_PAGES = Gauge("playground_pages_open", "Browser tabs connected.", registry=REGISTRY)
REJECTIONS = Counter("playground_refusals", "Rejected requests.", ["kind"], registry=REGISTRY)
DELAYED_CLICKS = Counter(
    "playground_clicks_delayed", "Clicks that came too fast and had to wait.", registry=REGISTRY
)


class Rejected(StrEnum):
    """The kind of a rejected request: the label ``kind``."""

    ADDRESS = "address"  # a request by an unknown name, or a WebSocket of a foreign page
    STRANGER = "stranger"  # a request without a valid cookie of the gate
    CODE = "code"  # a wrong class code, or an attempt after too many
    VISITOR = "visitor"  # the right code, after many others from the same address
    PAGE = "page"  # a page, since too many are open
    SESSION = "session"  # its WebSocket
    MESSAGE = "message"  # a message with too long a query, or with text
    UPLOAD = "upload"
    EXPERIMENT = "experiment"
    LAB = "lab"


for each in Rejected:
    REJECTIONS.labels(each)  # exported as 0 before the first


def count_rejection(kind: Rejected) -> None:
    """Count one rejection."""
    REJECTIONS.labels(kind).inc()


def time_experiment() -> AbstractContextManager[None]:
    """Time an experiment, by its outcome."""
    return _time(EXPERIMENTS)


def time_lab_run() -> AbstractContextManager[None]:
    """Time a run in the lab, by its outcome."""
    return _time(LAB_RUNS)


@contextmanager
def _time(histogram: Histogram) -> Iterator[None]:
    """Time a block; an error is an outcome too."""
    started, outcome = time.perf_counter(), "left"  # as by a visitor who clicks again
    try:
        yield
        outcome = "done"
    except PlaygroundError as error:
        outcome = error.key
        raise
    finally:
        histogram.labels(outcome).observe(time.perf_counter() - started)


class RerunTimer:
    """ASGI middleware that times reruns, from a click's arrival to the end of its run.

    Args:
        app: The application that is timed.
        histogram: Records the times.
        clock: The time, in seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        histogram: Histogram = RERUNS,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._app = app
        self._histogram = histogram
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        clicked_at: list[float] = []

        async def receive_timed() -> Message:
            message = await receive()
            if not clicked_at and is_rerun_request(message.get("bytes") or b""):
                clicked_at.append(self._clock())
            return message

        async def send_timed(message: Message) -> None:
            await send(message)
            if clicked_at and is_run_end(message.get("bytes") or b""):
                self._histogram.observe(self._clock() - clicked_at.pop())

        await self._app(scope, receive_timed, send_timed)
