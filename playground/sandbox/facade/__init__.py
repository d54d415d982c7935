"""The namespace of a cell: vetted objects under the names ``torch``, ``nn``, ``np`` …, not modules.

Importing this package loads torch, so the web process never does::

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

``playground.sandbox.allowed_names`` has the allow-lists, which the syntax check reads as well.
``attributes`` lets the ``guard`` see every attribute, also one that a text names;
``standard_library``, ``torch_functions``, ``numpy_and_pandas``, ``files`` and ``classes`` have what
differs from the real members. Uninitialised memory reads zeros.

Classes such as ``nn.Linear`` and ``torch.Tensor`` are the real ones, so ``isinstance`` and
``type(m) == nn.Linear`` work. Code that uses them to get past the check meets the jail: the
operating system's layers are the boundary.
"""

import builtins
import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy

from playground.machines.simulated import simulated_gpus
from playground.sandbox import packages
from playground.sandbox.allowed_names import (
    CONSTANTS,
    ERRORS,
    FUNCTIONS,
    MODULES,
    PREBOUND,
    part_of,
    words,
)
from playground.sandbox.check import notebook
from playground.sandbox.facade import (
    attributes,
    classes,
    numpy_and_pandas,
    standard_library,
    torch_functions,
)
from playground.sandbox.facade.attributes import HIDDEN
from playground.sandbox.facade.classes import patched
from playground.sandbox.facade.files import Files, MemoryArchive, MemoryPath
from playground.sandbox.facade.guard import VIRTUAL, VettedModule
from playground.sandbox.facade.torch_functions import lazy_allocation
from playground.sandbox.plots import agg, pyplot

__all__ = ["bind", "lazy_allocation", "patched", "warm_up"]

NOT_IMPORTED = words(
    """
    matplotlib_inline matplotlib_inline.backend_inline os os.path pathlib shutil subprocess
    torch.backends.cuda.matmul
    """
)
"""Modules that are not imported; all that is offered of them is ours."""


@functools.cache
def _real() -> Mapping[str, dict[str, Any]]:
    """Return the real members by module, looked up once, in the zygote."""
    found = {name: _members(name) for name in MODULES}
    for name in ("torch", "numpy"):
        found[name]["__version__"] = str(importlib.import_module(name).__version__)
    return found


def _members(name: str) -> dict[str, Any]:
    if name in NOT_IMPORTED:
        return {}
    if name in packages.HOMES:
        ours = packages.members(name)
        return {member: ours[member] for member in MODULES[name].members}
    real = importlib.import_module(name)
    members = MODULES[name].members
    return {member: getattr(real, member) for member in members if hasattr(real, member)}


def warm_up() -> None:
    """Import all that the tables name; in the zygote, since a child can open no file.

    The dispatchers of simulated GPUs go in first: they take the places of real replacements.
    """
    with simulated_gpus(1):
        _real.cache_clear()
        bind()
    numpy_and_pandas.warm_up()


def bind(*, files: Files | None = None) -> dict[str, Any]:
    """Make the names that a cell starts with.

    Args:
        files: The files of the cell, at first none.

    Returns:
        The namespace to execute a cell in. ``__builtins__`` in it is a dict of its own.
    """
    modules = {name: VettedModule(name, vetted.flags) for name, vetted in MODULES.items()}
    files = files or Files()
    real, replaced = _real(), _replaced(modules["torch"], files)
    for name, module in modules.items():
        vetted = MODULES[name]
        for flag in vetted.flags:
            module.offer(flag, False)
        for member, value in (real[name] | replaced.get(name, {})).items():
            module.offer(member, value)
        for part in vetted.parts:
            module.offer(part, modules[part_of(name, part)])
    namespace: dict[str, Any] = {name: modules[module] for name, module in PREBOUND.items()}
    namespace["__name__"] = "__main__"
    namespace |= HIDDEN
    namespace["__builtins__"] = _builtins(modules, files)
    kinds = _classes(namespace, real, replaced)
    namespace["__builtins__"]["type"] = classes.class_of_classes(kinds)
    VIRTUAL["__class__"] = classes.type_of(kinds)
    numpy_and_pandas.write_tables_to(files)
    return namespace


def _classes(
    namespace: dict[str, Any], real: Mapping[str, Any], replaced: Mapping[str, Any]
) -> dict[type, type]:
    """Return by real class: what a cell finds under its name."""
    found: dict[type, type] = {each._real: each for each in classes.PROXIES}
    groups = [real[name].keys() - replaced.get(name, {}).keys() for name in real]
    values = [real[name][each] for name, group in zip(real, groups, strict=True) for each in group]
    for value in (*values, *namespace["__builtins__"].values()):
        if isinstance(value, type) and value not in (object, super, type):
            found[value] = value
    return found


def _replaced(torch: VettedModule, files: Files) -> dict[str, dict[str, Any]]:
    """Return by module: the members that are ours instead of the real ones."""
    return {
        "torch": {
            "compile": torch_functions.compile_eagerly,
            "empty": torch_functions.empty,
            "empty_like": torch_functions.empty_like,
            "save": files.save,
            "load": files.load,
            "set_num_threads": torch_functions.set_num_threads,
            "set_default_tensor_type": classes.set_default_tensor_type,
            **{name: classes.legacy_tensor(name) for name in classes.LEGACY_NAMES},
        },
        "torch.nn.utils.parametrizations": {"orthogonal": torch_functions.orthogonal},
        "torch.utils.benchmark": {"Timer": partial(torch_functions.Timer, torch)},
        "contextlib": {"contextmanager": standard_library.contextmanager},
        "dataclasses": {"dataclass": standard_library.dataclass},
        "functools": {
            "total_ordering": standard_library.total_ordering,
            "wraps": standard_library.wraps,
        },
        "matplotlib": {"rcParams": pyplot.rcParams, "rc": pyplot.rc, "use": pyplot.use},
        "matplotlib.pyplot": {
            "imread": pyplot.imread,
            "imsave": pyplot.imsave,
            "pause": pyplot.pause,
            "rc": pyplot.rc,
            "rc_context": pyplot.rc_context,
            "rcParams": pyplot.rcParams,
            "rcdefaults": agg.restore_settings,
            "setp": pyplot.setp,
            "show": pyplot.show,
            "switch_backend": pyplot.use,
        },
        "matplotlib.style": {"context": pyplot.style_context, "use": pyplot.use_style},
        "matplotlib_inline.backend_inline": {
            "set_matplotlib_formats": pyplot.set_matplotlib_formats
        },
        "numpy": {
            "empty": numpy_and_pandas.empty_array,
            "empty_like": numpy_and_pandas.empty_array_like,
            "genfromtxt": partial(numpy_and_pandas.genfromtxt, files),
            "load": partial(numpy_and_pandas.load, files),
            "loadtxt": partial(numpy_and_pandas.loadtxt, files),
            "ndarray": classes.ndarray,
            "save": partial(numpy_and_pandas.save, files),
            "savez": partial(numpy_and_pandas.savez, files, numpy.savez),
            "savez_compressed": partial(numpy_and_pandas.savez, files, numpy.savez_compressed),
        },
        "pandas": {
            "DataFrame": classes.DataFrame,
            "Series": classes.Series,
            "read_csv": partial(numpy_and_pandas.read_csv, files),
        },
        "os": {
            "environ": standard_library.Environment(os.environ),
            "makedirs": files.make_folder,
            "mkdir": files.make_folder,
        },
        "os.path": {
            "exists": files.exists,
            "getsize": files.size,
            "isfile": files.is_file,
            "join": files.join,
        },
        "pathlib": {"Path": partial(MemoryPath, files)},
        "pickletools": {"genops": standard_library.genops},
        "safetensors.torch": {"load_file": files.load_tensors, "save_file": files.save_tensors},
        "shutil": {"which": standard_library.which},
        "subprocess": {"run": standard_library.run_program},
        "operator": {
            "attrgetter": standard_library.attrgetter,
            "methodcaller": standard_library.methodcaller,
        },
        "platform": {"python_version": standard_library.python_version},
        "sys": dict.fromkeys(("stdout", "stderr"), standard_library.Output()),
        "timeit": {"repeat": standard_library.repeated, "timeit": standard_library.timed},
        "traceback": {
            "format_exc": standard_library.format_exc,
            "print_exc": standard_library.print_exc,
        },
        "warnings": {"catch_warnings": standard_library.catch_warnings},
        "zipfile": {"ZipFile": partial(MemoryArchive, files)},
    }


def _importer(modules: Mapping[str, VettedModule]) -> Callable[..., VettedModule]:
    """Make the ``__import__`` that answers with vetted modules.

    An import statement passes a tuple of names. ``PyImport_Import``, by which the C code of NumPy
    imports on behalf of its caller, passes a list and ignores the answer.

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
            if member != "*" and member not in vars(modules[name]):
                raise ImportError(f"cannot import name {member!r} from {name!r}", name=name)
        return modules[name] if fromlist else modules[name.partition(".")[0]]

    return import_


def _builtins(modules: Mapping[str, VettedModule], files: Files) -> dict[str, Any]:
    """Make the ``__builtins__`` of a cell: allowed functions of Python, and our own import."""
    names = FUNCTIONS | CONSTANTS | ERRORS
    offered: dict[str, Any] = {name: getattr(builtins, name) for name in names}
    offered |= {
        "__build_class__": builtins.__build_class__,
        "__import__": _importer(modules),
        "delattr": attributes.delete_attribute,
        "dir": attributes.directory,
        "getattr": attributes.get_attribute,
        "globals": attributes.global_names,
        "hasattr": attributes.has_attribute,
        "help": standard_library.help_on,
        "input": standard_library.ask,
        "locals": attributes.local_names,
        "open": partial(numpy_and_pandas.open_file, files),
        "setattr": attributes.set_attribute,
        "vars": attributes.variables,
        notebook.TIMEIT: standard_library.time_loop,
        notebook.TIME: standard_library.time_once,
        notebook.NVIDIA_SMI: torch_functions.nvidia_smi,
        "None": None,
        "True": True,
        "False": False,
        "__debug__": True,
    }
    return offered
