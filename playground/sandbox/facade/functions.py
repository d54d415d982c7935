"""Functions that do less than the real ones of the same name, and say so where they refuse."""

import dataclasses
import importlib
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NoReturn

import torch
from torch.nn.utils import parametrizations

from playground.sandbox.facade.guard import HOME, read
from playground.sandbox.facade.module import VettedModule
from playground.sandbox.facade.tables import CLOSED, PRIVATE
from playground.sandbox.limits import OneProcessError


def get_attribute(owner: object, name: str, *default: object) -> object:
    """``getattr`` for names that a cell could write behind a dot."""
    if len(default) > 1:
        raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
    _refuse_closed(name)
    try:
        return read(owner, name)
    except AttributeError:
        if default:
            return default[0]
        raise


def has_attribute(owner: object, name: str) -> bool:
    """``hasattr`` for names that a cell could write behind a dot."""
    _refuse_closed(name)
    try:
        read(owner, name)
    except AttributeError:
        return False
    return True


def _refuse_closed(name: object) -> None:
    if type(name) is not str:  # a subclass could answer what it likes
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    is_private = name.startswith("_") and name not in PRIVATE | {"__name__"}
    if is_private or name in CLOSED or name == "format":
        raise AttributeError(f"the lab does not look up {name!r} by name")


def set_num_threads(number: int) -> None:
    """A run has one thread.

    Raises:
        OneProcessError: More were asked for.
    """
    if number != 1:
        raise OneProcessError(f"a run of the lab has one thread, not {number}")
    torch.set_num_threads(1)


def which(name: str) -> None:
    """What ``shutil.which`` finds where no program can be seen."""
    if not isinstance(name, str):
        raise TypeError(f"expected str, not {type(name).__name__}")


def run(
    programs: Sequence[str],
    *,
    timeout: object = None,  # noqa: ARG001
    check: object = False,  # noqa: ARG001
    capture_output: object = False,  # noqa: ARG001
    text: object = None,  # noqa: ARG001
) -> NoReturn:
    """What ``subprocess.run`` says where there is no such program."""
    raise FileNotFoundError(2, "No such file or directory", programs[0])


def catch_warnings(*, action: Any = None) -> "warnings.catch_warnings[None]":
    """``warnings.catch_warnings`` of Python's own module, and of no object of the cell's."""
    return warnings.catch_warnings(action=action)


def python_version() -> str:
    """The version of Python that runs the cell."""
    return platform.python_version()


def wraps(wrapped: object) -> Callable[[FunctionType], FunctionType]:
    """``functools.wraps`` of names and docstring; the real one copies any attribute it is told.

    Raises:
        TypeError: It decorates something else than a function.
    """

    def decorate(wrapper: FunctionType) -> FunctionType:
        if type(wrapper) is not FunctionType:
            raise TypeError(f"wraps() decorates a function, not a {type(wrapper).__name__!r}")
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        return wrapper

    return decorate


def dataclass(
    cls: Any = None,
    /,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    order: bool = False,
    unsafe_hash: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
) -> Any:
    """``dataclasses.dataclass`` of a class of the cell; it writes code with the fields' names.

    Raises:
        TypeError: It is no class of the cell, so that its fields may have any names.
    """
    decorate = dataclasses.dataclass(
        init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen,
        kw_only=kw_only, slots=slots,
    )  # fmt: skip

    def checked(kind: Any) -> Any:
        if not isinstance(kind, type) or kind.__module__ != HOME:
            raise TypeError("a dataclass is a class of this program")
        return decorate(kind)

    return checked if cls is None else checked(cls)


def orthogonal(
    module: torch.nn.Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> torch.nn.Module:
    """``parametrizations.orthogonal``, which looks the map up by its name.

    Raises:
        ValueError: There is no such map.
    """
    if orthogonal_map not in (None, "matrix_exp", "cayley", "householder"):
        raise ValueError(f'Unknown orthogonal_map: "{orthogonal_map}"')
    made: torch.nn.Module = parametrizations.orthogonal(
        module, name, orthogonal_map, use_trivialization=use_trivialization
    )
    return made


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
