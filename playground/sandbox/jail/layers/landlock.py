"""Landlock: no file, no TCP port, no signal to outside, whatever their permissions say."""

import ctypes
import os

from playground.sandbox.jail.layers import kernel

FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # how many rights on files each version knows
TCP_SINCE, SCOPES_SINCE = 4, 6
BIND_AND_CONNECT = 0b11
SIGNALS_AND_ABSTRACT_SOCKETS = 0b11
ASKS_FOR_VERSION = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


def version() -> int:
    """Which version of Landlock the kernel offers; 0 where it is absent or switched off."""
    try:
        return kernel.call("landlock_create_ruleset", 0, 0, ASKS_FOR_VERSION)
    except OSError:
        return 0


def deny_all() -> None:
    """Forbid this process everything that Landlock can forbid, without an exception.

    Raises:
        OSError: Landlock is missing.
    """
    known = version()
    if not known:
        raise OSError("Landlock is missing or switched off in this kernel")
    rights = max(bits for since, bits in FILE_RIGHTS.items() if since <= known)
    ruleset = _Ruleset(
        (1 << rights) - 1,
        BIND_AND_CONNECT if known >= TCP_SINCE else 0,
        SIGNALS_AND_ABSTRACT_SOCKETS if known >= SCOPES_SINCE else 0,
    )
    size = 8 if known < TCP_SINCE else 16 if known < SCOPES_SINCE else 24
    descriptor = kernel.call("landlock_create_ruleset", ctypes.addressof(ruleset), size, 0)
    kernel.call("landlock_restrict_self", descriptor, 0)
    os.close(descriptor)
