"""What a program got hold of that no cell may have."""

import builtins
import os
import subprocess
import sys
import zipfile
from types import (
    CodeType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)

INSIDE = (
    *(ModuleType, FrameType, CodeType, TracebackType, zipfile.ZipFile),
    *(GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType),  # read any attribute
)
DANGEROUS = (
    *(getattr(builtins, name) for name in ("open", "eval", "exec", "compile", "__import__")),
    *(os.system, os.getpid, os.listdir, os.read, subprocess.Popen, sys._getframe, type, object),
)


def outside(names):
    """The objects, wherever they lie in what a program has bound."""
    found, seen = [], set()
    todo = [value for name, value in names.items() if name.isidentifier() and name[:1] != "_"]
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, INSIDE) or any(value is each for each in DANGEROUS):
            found.append(value)
        elif isinstance(value, dict):
            if "__builtins__" in value:
                found.append(value)  # the names of a module
            todo += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            todo += value
        elif isinstance(value, MethodType):
            todo.append(value.__self__)
        elif isinstance(value, FunctionType) or type(value).__module__ == "__main__":
            todo += getattr(value, "__dict__", {}).values()
        elif isinstance(value, type) and value.__module__ == "__main__":
            todo += [each for name, each in vars(value).items() if name[:1] != "_"]
    return found
