"""A process that the web process started does not outlive it, even where that one is killed."""

import multiprocessing
import os
import threading
from multiprocessing import connection


def end_with_it() -> None:
    """End this process as soon as its parent, as ``multiprocessing`` knows it, has ended."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
