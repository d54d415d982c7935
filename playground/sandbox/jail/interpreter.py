"""The command line and environment of an interpreter for untrusted code: only our modules."""

import json
import os
import sys
from pathlib import Path

NO_CUDA = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH")  # neither GPUs nor a toolkit
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
NEEDED_BY_WINDOWS = ("SYSTEMROOT", "TEMP", "TMP")
NEITHER_FOLDER_NOR_USER_NOR_BYTECODE = ("-P", "-s", "-B")


def command(module: str, *words: object) -> list[str]:
    """Return the command line that calls ``main`` of a module.

    Args:
        module: Of the package ``playground.sandbox.jail``.
        words: Arguments of ``main``; they go through JSON.
    """
    start = (
        "import json, sys; path, *words = map(json.loads, sys.argv[1:]); sys.path[:] = path; "
        f"from playground.sandbox.jail import {module}; {module}.main(*words)"
    )
    path = [str(Path(place).absolute()) for place in sys.path]
    arguments = (json.dumps(word) for word in (path, *words))
    return [sys.executable, *NEITHER_FOLDER_NOR_USER_NOR_BYTECODE, "-c", start, *arguments]


def environment() -> dict[str, str]:
    """Return the whole environment of untrusted code."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # sets of strings have the same order in every zygote
        **dict.fromkeys(NO_CUDA, ""),
        **dict.fromkeys(ONE_THREAD, "1"),
        **{name: os.environ[name] for name in NEEDED_BY_WINDOWS if os.name == "nt"},
    }
