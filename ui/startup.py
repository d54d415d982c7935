"""Start and stop of the server, in this order.

Before the first request is answered:

1. The operator's settings are enforced and the log is set up (``hosting.apply_settings``).
2. The threads that write progress and read live polls start, if a database is set.
3. The garbage collector freezes the imports, so that it does not search them while the first page
   is made.
4. The words of all lessons are read; every page needs them for its navigation.
5. The worker processes start in the background. Earlier they would compete with step 4 for the
   processors.

Beside the first requests, once the workers are ready or have had 20 seconds:

6. The jail starts. Earlier it would compete with the workers for the processors.
7. The settings of all lessons are imported and compared with their words.
8. The lab's page, the X-ray of files and plotly's figures are imported; the first page needs none
   of them (decision 24).
9. The garbage collector collects and freezes everything that is there (decision 7), and collects
   the oldest generation more rarely from then on (decision 25).

``/api/ready`` answers 200 after that. At the end the parts stop in the opposite order.
"""

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hosting import apply_settings, live_poll, progress, settings
from playground import catalog, compute
from playground.sandbox import jail

WORKERS_TIMEOUT_SECONDS = 20.0  # workers that take longer wait for something else
POLL_SECONDS = 0.1
OLDEST_GENERATION_THRESHOLD = 100  # collections of the middle generation; Python's own is 10
_log = logging.getLogger(__name__)
_is_loaded = False


@asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[dict[str, object]]:
    """Start the server's parts, and stop them at its end."""
    apply_settings.begin()
    progress.start(settings.current())
    live_poll.start()
    gc.freeze()
    catalog.lessons()
    compute.start(settings.current().ray_address)
    loading = asyncio.create_task(load_deferred())
    try:
        yield {}
    finally:
        loading.cancel()
        live_poll.stop()
        progress.stop()
        jail.stop()
        compute.stop()
        apply_settings.end()


async def load_deferred() -> None:
    """Load what the first page does without, in a thread, once the workers have started.

    A lesson whose words and settings do not agree is logged, and the server never becomes ready.
    """
    global _is_loaded
    latest = time.monotonic() + WORKERS_TIMEOUT_SECONDS
    while not compute.status().is_ready and time.monotonic() < latest:
        await asyncio.sleep(POLL_SECONDS)
    jail.start()
    try:
        await asyncio.to_thread(_load)
    except Exception:  # noqa: BLE001 - also what an import raises
        _log.exception("the server will not be ready: some lesson has faults")
    else:
        _is_loaded = True


def is_ready() -> bool:
    """Return whether an experiment could run and every lesson is loaded."""
    return _is_loaded and compute.status().is_ready


def _load() -> None:
    catalog.check_lessons()

    from plotly.graph_objects import Figure  # noqa: F401 - the first page does without these

    from ui import xray  # noqa: F401
    from ui.lab import page  # noqa: F401

    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], OLDEST_GENERATION_THRESHOLD)
