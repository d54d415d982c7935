"""What the fork server imports: it warms up once, and every worker that it forks starts warm.

Imported anywhere else, this module does nothing.
"""

import gc
import importlib
import logging
import os
import sys
from pathlib import Path

from playground.compute import task

FORK_SERVER_MARK = "multiprocessing.forkserver"
LESSONS = Path(__file__).parents[1] / "lessons"


def import_lessons() -> None:
    """Import the modules of all lessons, so that no student waits for it.

    One that cannot be imported is logged; it says so again when it is asked to run.
    """
    for file in sorted(LESSONS.glob("*/[a-z]*.py")):
        name = f"playground.lessons.{file.parent.name}.{file.stem}"
        try:
            importlib.import_module(name)
        except ImportError:
            logging.getLogger(__name__).exception("%s: import failed", name)


if any(FORK_SERVER_MARK in word for word in sys.orig_argv):
    os.environ.pop("PYTHONPATH", None)  # it was for this import; workers get the path otherwise
    task.warm_up(hides_cuda=True)
    import_lessons()
    gc.collect()
    gc.freeze()  # the collector of a worker then copies none of these pages
