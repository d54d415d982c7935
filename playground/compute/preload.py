"""Warms up the fork server, so that every worker that it forks starts warm.

The fork server imports this module by name. Imported anywhere else, it does nothing.
"""

import gc
import importlib
import logging
import os
import sys
from pathlib import Path

from playground.compute import worker_process

FORK_SERVER_MARK = "multiprocessing.forkserver"
LESSONS = Path(__file__).parents[1] / "lessons"


def import_lessons() -> None:
    """Import the modules of all lessons, so that no student waits for it.

    One that cannot be imported is logged; its experiments fail with the same error when they run.
    """
    for file in sorted(LESSONS.glob("*/[a-z]*.py")):
        name = f"playground.lessons.{file.parent.name}.{file.stem}"
        try:
            importlib.import_module(name)
        except ImportError:
            logging.getLogger(__name__).exception("%s: import failed", name)


if any(FORK_SERVER_MARK in word for word in sys.orig_argv):
    os.environ.pop("PYTHONPATH", None)  # it was for this import; workers get the path otherwise
    worker_process.warm_up(hides_cuda=True)
    import_lessons()
    gc.collect()
    gc.freeze()  # the collector of a worker then copies none of these pages
