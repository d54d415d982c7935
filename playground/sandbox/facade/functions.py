"""Functions that do less than the real ones of the same name, and say so where they refuse."""

import importlib
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch

from playground.sandbox.facade.module import VettedModule
from playground.sandbox.facade.tables import PRIVATE


def get_attribute(owner: object, name: str, *default: object) -> object:
    """``getattr`` for names that a cell could write behind a dot."""
    if len(default) > 1:
        raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
    _refuse_private(name)
    return getattr(owner, name, *default)


def has_attribute(owner: object, name: str) -> bool:
    """``hasattr`` for names that a cell could write behind a dot."""
    _refuse_private(name)
    return hasattr(owner, name)


def _refuse_private(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    if name.startswith("_") and name not in PRIVATE | {"__name__"}:
        raise AttributeError(f"the lab does not look up {name!r} by name")


def type_of(value: object, *more: object) -> type:
    """``type`` with one argument: it tells a class and makes none."""
    if more:
        raise TypeError("type() tells a class here; write a class statement to make one")
    return type(value)


def set_num_threads(number: int) -> None:
    """A run has one thread.

    Raises:
        RuntimeError: More were asked for.
    """
    if number != 1:
        raise RuntimeError(f"a run of the lab has one thread, not {number}")
    torch.set_num_threads(1)


def which(name: str) -> None:
    """What ``shutil.which`` finds where no program can be seen."""
    if not isinstance(name, str):
        raise TypeError(f"expected str, not {type(name).__name__}")


def run(programs: Sequence[str], **_: object) -> NoReturn:
    """What ``subprocess.run`` says where there is no such program."""
    raise FileNotFoundError(2, "No such file or directory", programs[0])


def catch_warnings(*, action: Any = None) -> "warnings.catch_warnings[None]":
    """``warnings.catch_warnings`` of Python's own module, and of no object of the cell's."""
    return warnings.catch_warnings(action=action)


def python_version() -> str:
    """The version of Python that runs the cell."""
    return platform.python_version()


def importer(modules: Mapping[str, VettedModule]) -> Callable[..., VettedModule]:
    """Make the ``__import__`` that answers with vetted modules.

    An import statement passes a tuple of names. ``PyImport_Import``, by which the C code of NumPy
    imports on behalf of whoever called it, passes a list and ignores the answer.

    Args:
        modules: By dotted name.
    """

    def import_(
        name: str,
        _globals: object = None,
        _locals: object = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> VettedModule:
        if isinstance(fromlist, list):  # C code of a library, which takes from sys.modules after it
            importlib.import_module(name)
            return VettedModule(name)
        if level or name not in modules:
            raise ImportError(f"the lab has no module named {name!r}", name=name)
        for member in fromlist or ():
            if member not in vars(modules[name]):
                raise ImportError(f"cannot import name {member!r} from {name!r}", name=name)
        return modules[name] if fromlist else modules[name.partition(".")[0]]

    return import_
