"""What the fork server imports: it warms up once, and every worker that it forks starts warm.

Imported anywhere else, this module does nothing.
"""

import gc
import os
import sys

from playground.compute import dispatch, task

FORK_SERVER_MARK = "multiprocessing.forkserver"

if any(FORK_SERVER_MARK in word for word in sys.orig_argv):
    os.environ.pop("PYTHONPATH", None)  # it was for this import; workers get the path otherwise
    task.warm_up(hides_cuda=True)
    dispatch.import_experiments()
    gc.collect()
    gc.freeze()  # the collector of a worker then copies none of these pages
