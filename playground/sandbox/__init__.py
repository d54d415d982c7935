"""Runs untrusted code and files in a sandbox; importing it loads neither torch nor the jail.

- ``check(source)`` refuses what a cell must not contain, and says what to write instead.
- ``run(source, machine)`` checks a cell, runs it in the jail and returns a ``SandboxReport``.
- ``preflight()`` returns the result of the jail's self-test.

``allowed_names`` lists what a cell may use, ``check`` has the rules of the syntax, ``facade`` the
objects that a cell finds under its names, ``cell`` what the jail's child does with a cell, ``jail``
the boundary: processes under the limits of the operating system.
"""

import importlib
from typing import TYPE_CHECKING

from playground.sandbox.check import check  # at once: the package of this name would hide it

if TYPE_CHECKING:
    from playground.sandbox.jail import preflight
    from playground.sandbox.report import SandboxReport
    from playground.sandbox.runner import run

__all__ = ["SandboxReport", "check", "preflight", "run"]
_HOMES = {
    "SandboxReport": "playground.sandbox.report",
    "preflight": "playground.sandbox.jail",
    "run": "playground.sandbox.runner",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
