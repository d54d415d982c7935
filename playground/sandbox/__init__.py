"""Strangers' code and files, kept in; importing this package loads neither torch nor the jail.

``check(source)`` says what a cell may not say, ``run(source, machine)`` runs it in the jail,
``preflight()`` says whether the jail holds.
"""

import importlib
from typing import TYPE_CHECKING

from playground.sandbox.check import check  # at once: the package of this name would hide it

if TYPE_CHECKING:
    from playground.sandbox.jail import preflight
    from playground.sandbox.report import SandboxReport
    from playground.sandbox.running import run

__all__ = ["SandboxReport", "check", "preflight", "run"]
_HOMES = {
    "SandboxReport": "playground.sandbox.report",
    "preflight": "playground.sandbox.jail",
    "run": "playground.sandbox.running",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
