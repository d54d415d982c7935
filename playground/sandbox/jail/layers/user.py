"""A user of its own, where the server runs as root."""

import os
import resource

NOBODY = 65534


def become_nobody() -> None:
    """Give up root for good, and the right to start processes; nothing for anybody else.

    Raises:
        OSError: Root, but not allowed to change the user.
    """
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
