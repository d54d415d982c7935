"""The namespace of a cell: vetted objects under the names ``torch``, ``nn``, ``np`` …, not modules.

Importing this package loads no torch; ``bind`` does, and is called in the zygote, for the one cell
that a child runs::

    from playground.sandbox import facade

    facade.warm_up()  # once, in the zygote: imports all that the tables name
    namespace = facade.bind()  # once for each cell: it is its alone
    namespace["__builtins__"]["print"] = my_print  # a plain dict: replace what you like
    exec(compile(source, "<cell>", "exec"), namespace)  # the source as the student wrote it

``namespace`` holds ``torch``, ``nn``, ``F``, ``math``, ``copy``, which are there without an import;
``__name__``, which is ``"__main__"``; and ``__builtins__``, a dict of the listed functions, the
named errors, ``__build_class__`` and an ``__import__`` that answers ``import torch``,
``from torch import nn``, ``import numpy as np`` … with vetted objects and everything else with an
``ImportError``. So no import has to be rewritten. ``open`` finds files in memory.

``allowed_names`` has the allow-lists, which the syntax check reads as well. ``rewrite`` lets the
``guard`` see every attribute, ``attributes`` has what takes the name of one, ``replacements``,
``files`` and ``classes`` have what differs from the real members, and
``uninitialised`` hides uninitialised memory.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playground.sandbox.facade.binding import bind, warm_up
    from playground.sandbox.facade.classes import patched
    from playground.sandbox.facade.uninitialised import lazy_allocation

__all__ = ["bind", "patched", "lazy_allocation", "warm_up"]
_HOMES = {
    "bind": "binding",
    "patched": "classes",
    "lazy_allocation": "uninitialised",
    "warm_up": "binding",
}


def __getattr__(name: str) -> object:
    """Import a function's module, and with it torch, at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
