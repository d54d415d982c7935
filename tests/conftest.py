"""Every test has one torch thread, as a worker of the cpu lane has.

Two threads on a busy machine wait for each other at every small operation, up to fifty times as
long as the operation takes. The environment is read when torch is imported, here and in children.
"""

import os

from playground.compute.task import THREAD_LIMITS

os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
