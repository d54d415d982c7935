"""Who goes first where the processors are busy: the web process, since clicks wait for it."""

import os
from contextlib import suppress
from pathlib import Path

NICE = 5  # on Linux, a third of the web process's share where both want a processor
AUTOGROUP = Path("/proc/self/autogroup")


def give_way() -> None:
    """Let this process, and those it starts, go after the web process.

    Linux shares the processors among sessions first where it groups tasks by session, so the leader
    of one lowers its whole session. A system that has no priorities leaves everything as it is.
    """
    if not hasattr(os, "setpriority"):
        return
    nice = max(NICE, os.getpriority(os.PRIO_PROCESS, 0))
    os.setpriority(os.PRIO_PROCESS, 0, nice)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):
            AUTOGROUP.write_text(str(nice), "ascii")
