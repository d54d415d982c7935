"""Builds the objects that a cell finds: the listed members of the real modules, and no more.

Runs in the zygote, before there is a child. Classes such as ``nn.Linear`` and ``torch.Tensor`` are
the real ones, so ``isinstance`` and ``type(m) == nn.Linear`` work. Who walks on from them, past the
check, meets the jail: the operating system's layers are the boundary.
"""

import builtins
import functools
import importlib
import os
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy

from playground.machines.simulated import simulated_gpus
from playground.sandbox.facade import (
    archives,
    class_proxies,
    environment,
    functions,
    saving,
    timer,
    zeros,
)
from playground.sandbox.facade.guard import READ, read
from playground.sandbox.facade.module import VettedModule
from playground.sandbox.facade.tables import (
    CLASS_FUNCTIONS,
    CONSTANTS,
    ERRORS,
    FUNCTIONS,
    MODULES,
    PREBOUND,
    words,
)

NOT_IMPORTED = words("matplotlib matplotlib.pyplot os os.path pathlib shutil subprocess")
"""Modules of which the real one is not wanted, or not there; what is offered of them is ours."""


@functools.cache
def _real() -> Mapping[str, dict[str, Any]]:
    """By module: the listed members that are the real ones. Looked up once, in the zygote."""
    found = {name: _members(name) for name in MODULES}
    for name in ("torch", "numpy"):
        found[name]["__version__"] = str(importlib.import_module(name).__version__)
    return found


def _members(name: str) -> dict[str, Any]:
    if name in NOT_IMPORTED:
        return {}
    real = importlib.import_module(name)
    members = MODULES[name].members
    return {member: getattr(real, member) for member in members if hasattr(real, member)}


def warm_up() -> None:
    """Import all that the tables name; in the zygote, since a child can open no file.

    The dispatchers of simulated GPUs go in first: they take the places of real functions.
    """
    with simulated_gpus(1):
        _real.cache_clear()
        bind()


def bind(*, pyplot: object | None = None) -> dict[str, Any]:
    """Make the names that a cell begins with.

    Args:
        pyplot: What ``import matplotlib.pyplot as plt`` gives; without it, that is refused.

    Returns:
        The namespace to execute a cell in. ``__builtins__`` in it is a dict of its own.
    """
    modules = {name: VettedModule(name) for name in MODULES}
    real, replaced = _real(), _replaced(modules["torch"])
    for name, module in modules.items():
        vetted = MODULES[name]
        for member, value in (real[name] | replaced.get(name, {})).items():
            module.offer(member, value)
        for part in vetted.parts:
            module.offer(part, modules[f"{name}.{part}"])
    if pyplot is not None:
        for member in MODULES["matplotlib.pyplot"].members:
            modules["matplotlib.pyplot"].offer(member, getattr(pyplot, member))
    offered = modules if pyplot is not None else _without(modules, "matplotlib")
    namespace: dict[str, Any] = {name: modules[module] for name, module in PREBOUND.items()}
    namespace["__name__"] = "__main__"
    namespace[READ] = read
    namespace["__builtins__"] = _builtins(offered)
    namespace["__builtins__"]["type"] = class_proxies.type_of(_classes(namespace, real, replaced))
    return namespace


def _classes(
    namespace: dict[str, Any], real: Mapping[str, Any], replaced: Mapping[str, Any]
) -> dict[type, type]:
    """By real class: what a cell finds under its name."""
    found: dict[type, type] = {numpy.ndarray: class_proxies.ndarray}
    groups = [real[name].keys() - replaced.get(name, {}).keys() for name in real]
    values = [real[name][each] for name, group in zip(real, groups, strict=True) for each in group]
    for value in (*values, *namespace["__builtins__"].values()):
        if isinstance(value, type) and value not in (object, super, type):
            found[value] = value
    return found


def _replaced(torch: VettedModule) -> dict[str, dict[str, Any]]:
    """By module: the members that are ours instead of the real ones."""
    files = saving.Files()
    return {
        "torch": {
            "empty": zeros.empty,
            "empty_like": zeros.empty_like,
            "save": files.save,
            "load": files.load,
            "set_num_threads": functions.set_num_threads,
            "set_default_tensor_type": class_proxies.set_default_tensor_type,
            **{name: class_proxies.legacy_tensor(name) for name in class_proxies.LEGACY_NAMES},
        },
        "torch.nn.utils.parametrizations": {"orthogonal": functions.orthogonal},
        "torch.utils.benchmark": {"Timer": partial(timer.Timer, torch)},
        "dataclasses": {"dataclass": functions.dataclass},
        "functools": {"wraps": functions.wraps},
        "numpy": {
            "empty": zeros.empty_array,
            "empty_like": zeros.empty_array_like,
            "ndarray": class_proxies.ndarray,
        },
        "os": {
            "environ": environment.Environment(os.environ),
            "makedirs": files.make_folder,
            "mkdir": files.make_folder,
        },
        "os.path": {
            "exists": files.exists,
            "getsize": files.size,
            "isfile": files.is_file,
            "join": files.join,
        },
        "pathlib": {"Path": partial(saving.MemoryPath, files)},
        "pickletools": {"genops": archives.genops},
        "safetensors.torch": {"load_file": files.load_tensors, "save_file": files.save_tensors},
        "shutil": {"which": functions.which},
        "subprocess": {"run": functions.run},
        "warnings": {"catch_warnings": functions.catch_warnings},
        "platform": {"python_version": functions.python_version},
        "zipfile": {"ZipFile": partial(archives.MemoryArchive, files)},
    }


def _without(modules: Mapping[str, VettedModule], package: str) -> dict[str, VettedModule]:
    return {name: module for name, module in modules.items() if name.split(".")[0] != package}


def _builtins(modules: Mapping[str, VettedModule]) -> dict[str, Any]:
    """Python's own functions that a cell may use, and the import that answers with ours."""
    names = FUNCTIONS | CLASS_FUNCTIONS | CONSTANTS | ERRORS
    offered: dict[str, Any] = {name: getattr(builtins, name) for name in names}
    offered |= {
        "__build_class__": builtins.__build_class__,
        "__import__": functions.importer(modules),
        "getattr": functions.get_attribute,
        "hasattr": functions.has_attribute,
        "object": object,
        "None": None,
        "True": True,
        "False": False,
        "__debug__": True,
    }
    return offered
