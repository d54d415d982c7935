"""Real classes that a cell may use only in part: patched methods, and proxies that replace them.

``isinstance`` and ``super()`` need the real classes, so most are patched while a cell runs:
``super(DataLoader, loader)`` would find the real method behind a class of ours. A proxy replaces
a class that shows uninitialised memory or must not be called; ``isinstance``, ``==`` and ``print``
take it for the real one.

A name that a cell gives may be a member of a ``StrEnum`` of its own, whose methods return anything;
``str.startswith(name, …)`` looks at its letters.
"""

import enum
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy
import torch
from torch import nn
from torch.distributions import Distribution
from torch.optim import lr_scheduler
from torch.storage import _StorageBase
from torch.utils.data import DataLoader

from playground.sandbox.facade.guard import HOME, OWN, for_its_objects
from playground.sandbox.facade.numpy_and_pandas import PATCHES, TABLES
from playground.sandbox.facade.torch_functions import are_sizes

SCHEDULERS = tuple(
    each
    for each in vars(lr_scheduler).values()
    if isinstance(each, type) and issubclass(each, lr_scheduler.LRScheduler)
)
SCHEDULER_FUNCTIONS = {  # attributes in which a scheduler keeps functions of the cell
    lr_scheduler.LambdaLR: "lr_lambdas",
    lr_scheduler.MultiplicativeLR: "lr_lambdas",
    lr_scheduler.CyclicLR: "_scale_fn_custom",
}
Method = Callable[..., Any]
OF_WORKERS = {
    "num_workers": 0,
    "multiprocessing_context": None,
    "persistent_workers": False,
    "prefetch_factor": None,
    "timeout": 0,
}  # of a loader that has none
LEGACY_NAMES = (
    "BoolTensor",
    "ByteTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
)
DEFAULT_TYPE = re.compile(r"torch\.(cuda\.)?(Float|Double|Half|BFloat16)Tensor")


@contextmanager
def patched() -> Iterator[None]:
    """Patch the classes of this process; the originals come back at the end."""
    patches: list[tuple[type, str, Callable[[Method], Method]]] = [
        *PATCHES,
        (_StorageBase, "type", _storage_type),
        (nn.Module, "__getattr__", _without_special),
        (nn.ParameterDict, "_key_to_attr", _without_special),
        (enum.EnumType, "_create_", _of_plain_names),
        (DataLoader, "__init__", _without_workers),
        (DataLoader, "__setattr__", _in_one_process),
        (Distribution, "__init__", _of_its_objects(Distribution)),
    ]
    for kind in SCHEDULERS:
        if "state_dict" in vars(kind):
            patches.append((kind, "state_dict", _state_dict(kind)))
        if "load_state_dict" in vars(kind):
            patches.append((kind, "load_state_dict", _load_state_dict(kind)))
    originals = [(kind, name, vars(kind)[name]) for kind, name, _ in patches]
    try:
        for kind, name, patch in patches:
            setattr(kind, name, patch(vars(kind)[name]))
        yield
    finally:
        for kind, name, original in originals:
            setattr(kind, name, original)


def _storage_type(original: Method) -> Method:
    """Return only the name of a storage's class; torch imports and calls whatever a text names."""

    def type_(storage: Any, dtype: None = None, non_blocking: bool = False) -> Any:
        if dtype is not None:
            raise TypeError("the lab converts tensors, not storages: x.to(torch.float64)")
        return original(storage, None, non_blocking)

    return type_


def _without_special(original: Method) -> Method:
    """Keep Python's own attributes from those that a name leads to.

    By ``__array_interface__`` NumPy reads any memory, by ``__reduce_ex__`` ``copy`` sets anything.
    """

    def method(owner: Any, name: Any) -> Any:
        if isinstance(name, str) and str.startswith(name, "__"):
            kind = type(owner).__name__
            raise AttributeError(f"{kind!r} object has no attribute {str.__str__(name)!r}")
        return original(owner, name)

    return method


def _of_plain_names(original: Method) -> Method:
    """``Enum("Color", "RED GREEN")`` with plain names; others would define special methods."""

    def create(cls: enum.EnumType, class_name: str, names: Any, **words: Any) -> Any:
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        elif isinstance(names, Mapping):
            names = names.items()
        members = [each if isinstance(each, str) else tuple(each) for each in names]
        for member in members:
            name = member if isinstance(member, str) else member[0]
            if type(name) is not str or not name.isidentifier() or name.startswith("_"):
                raise ValueError(f"a member of an enumeration has a plain name, not {name!r}")
        if words.get("module") is None:
            words["module"] = sys._getframe(2).f_globals.get("__name__")
        return original(cls, class_name, members, **words)

    return create


def _in_one_process(original: Method) -> Method:
    """Set an attribute of a loader that starts no workers."""
    return lambda loader, name, value: original(loader, name, OF_WORKERS.get(name, value))


def _without_workers(original: Method) -> Method:
    """Make a loader read in the process, whatever number of workers is given."""
    signature = inspect.signature(original)

    def init(*args: Any, **words: Any) -> None:
        given = signature.bind(*args, **words)
        given.arguments |= {name: OF_WORKERS[name] for name in OF_WORKERS.keys() & given.arguments}
        original(*given.args, **given.kwargs)

    return init


def _of_its_objects(kind: type) -> Callable[[Method], Method]:
    """Refuse other objects in a method that reads or sets any attribute."""
    return lambda original: for_its_objects(original, kind)


def _state_dict(kind: type) -> Callable[[Method], Method]:
    """Of the functions in a scheduler, only the state of the cell's own objects."""
    of_functions = SCHEDULER_FUNCTIONS.get(kind)
    if of_functions is None:
        return _of_its_objects(kind)

    def state_dict(scheduler: Any) -> dict[str, Any]:
        state = lr_scheduler.LRScheduler.state_dict(scheduler)
        state.pop("_scale_fn_ref", None)  # of CyclicLR, which leaves it out as well
        held = state[of_functions]
        state[of_functions] = [*map(_state, held)] if isinstance(held, list) else _state(held)
        return state

    return lambda _: state_dict


def _load_state_dict(kind: type) -> Callable[[Method], Method]:
    """Load no attribute of Python's own, and functions only into the cell's own objects."""
    of_functions = SCHEDULER_FUNCTIONS.get(kind)

    def patch(original: Method) -> Method:
        def load_state_dict(scheduler: Any, state_dict: Mapping[str, Any]) -> None:
            state = dict(state_dict)
            _refuse_special(state)
            if of_functions is not None:
                functions = _listed(getattr(scheduler, of_functions))
                for function, its in zip(functions, _listed(state[of_functions]), strict=False):
                    if its is not None:
                        _refuse_special(its)
                        if _state(function) is None:
                            raise TypeError(f"a {type(function).__name__!r} has no state to load")
            original(scheduler, state)

        return for_its_objects(load_state_dict, kind)

    return patch


def _state(function: Any) -> dict[str, Any] | None:
    """Copy the state of an object of the cell's classes; torch would copy it of any object."""
    return dict(vars(function)) if type(function).__module__ == HOME else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _refuse_special(state: Mapping[str, Any]) -> None:
    for name in state:
        if type(name) is not str or name.startswith("__"):
            raise KeyError(name)


class _Proxy(type):
    """The class of the proxy of a real class."""

    _real: Any

    @property
    def __name__(cls) -> str:  # type: ignore[override]  # torch itself reads the name it was made with
        return str(cls._real.__name__)

    def __call__(cls, *_: object, **__: object) -> Any:
        raise TypeError("type() tells a class here; write a class statement to make one")

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._real)

    def __repr__(cls) -> str:
        return repr(cls._real)


class _LegacyTensor(_Proxy):
    """``torch.IntTensor(2, 3)`` and its like, which show zeros and not what was in memory."""

    def __call__(cls, *args: Any, **options: Any) -> torch.Tensor:
        made: torch.Tensor = cls._real(*args, **options)
        return made.zero_() if are_sizes(args) else made


class _Table(_Proxy):
    """``pd.DataFrame``, from which no class can be derived: ``super()`` would find all methods."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls._real(*args, **options)


class _Array(_Proxy):
    """``np.ndarray((2, 3))``, which shows zeros, and reads no memory as objects."""

    def __call__(  # type: ignore[override]
        cls, shape: Any, dtype: Any = float, *, order: Any = "C"
    ) -> Any:
        return numpy.zeros(shape, dtype, order)


def _proxy(kind: type[_Proxy], real: Any, name: str, module: str) -> type:
    return kind(name, (), {"_real": real, "__module__": module, "__slots__": ()})


def legacy_tensor(name: str) -> type:
    """Make the ``torch.IntTensor`` of a cell; ``x.type(torch.IntTensor)`` knows it by its name.

    Args:
        name: Without ``torch.``.
    """
    return _proxy(_LegacyTensor, getattr(torch, name), f"torch.{name}", "torch")


ndarray = _proxy(_Array, numpy.ndarray, "ndarray", "numpy")
DataFrame, Series = (_proxy(_Table, each, each.__name__, "pandas") for each in TABLES)
PROXIES: tuple[Any, ...] = (ndarray, DataFrame, Series)


@functools.cache
def _shown(kind: type) -> type:
    """Make a proxy that can be displayed and compared."""
    return _proxy(_Proxy, kind, kind.__name__, "builtins")


def type_of(offered: Mapping[type, type]) -> Callable[[object], type]:
    """Make the function that returns the class of an object.

    Args:
        offered: By real class: what a cell knows it as. The cell's own classes are real as well;
            all others are replaced by a proxy.
    """

    def class_of(value: object) -> type:
        kind: Any = type(value)
        return offered.get(kind) or (kind if kind.__module__ in OWN else _shown(kind))

    return class_of


def class_of_classes(offered: Mapping[type, type]) -> type:
    """Make the ``type`` of a cell, which returns a class and makes none.

    Args:
        offered: As for ``type_of``.
    """
    class_of = type_of(offered)

    class Type(_Proxy):
        def __call__(cls, value: object = None, *more: object, **_: object) -> Any:
            if more:
                raise TypeError("type() tells a class here; write a class statement to make one")
            return class_of(value)

    return _proxy(Type, type, "type", "builtins")


def set_default_tensor_type(kind: Any) -> None:
    """``torch.set_default_tensor_type``, which wants the real type, and imports what a text names.

    Raises:
        TypeError: It is no type of tensors.
    """
    if isinstance(kind, str) and not (type(kind) is str and DEFAULT_TYPE.fullmatch(kind)):
        raise TypeError(f"invalid type name {kind!r}")
    torch.set_default_tensor_type(kind._real if isinstance(kind, _LegacyTensor) else kind)
