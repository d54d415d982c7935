"""What the first page can do without: loaded once the workers have started, or have had the time.

Until then the processors are busy enough, and somebody waits for that page.
"""

import asyncio
import gc
import logging
import time

from playground import catalog, compute
from playground.sandbox import jail

PATIENCE_SECONDS = 20.0  # workers that start longer than this wait for something else
LOOK_SECONDS = 0.1
FULL_AFTER = 100  # collections of the middle generation; Python's own are 10
_log = logging.getLogger(__name__)
_is_loaded = False


async def load() -> None:
    """Load it in a thread, and keep the garbage collector away from all that never dies.

    Lessons whose words and settings do not agree are logged; a server like this is never ready.
    """
    global _is_loaded
    latest = time.monotonic() + PATIENCE_SECONDS
    while not compute.status().is_ready and time.monotonic() < latest:
        await asyncio.sleep(LOOK_SECONDS)
    jail.start()
    try:
        await asyncio.to_thread(_load)
    except Exception:  # noqa: BLE001 - also what an import raises
        _log.exception("the server will not be ready: some lesson has faults")
    else:
        _is_loaded = True


def is_loaded() -> bool:
    """Whether all of it is there."""
    return _is_loaded


def _load() -> None:
    catalog.check_lessons()
    import plotly.graph_objects  # noqa: F401 - figures need it; loaded here it is frozen below

    from ui.lab import frame, in_place  # noqa: F401 - the same

    gc.collect()
    gc.freeze()  # docs/decisions/0007
    gc.set_threshold(*gc.get_threshold()[:2], FULL_AFTER)  # docs/decisions/0025
