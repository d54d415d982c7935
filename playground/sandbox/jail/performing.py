"""Does a task in the process that was made for it, and puts whatever came of it into JSON."""

import json
import random
import sys
from collections.abc import Callable
from typing import BinaryIO

from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import Limits

Task = Callable[[JsonObject, BinaryIO, Limits], JsonObject]
ALLOCATOR_REFUSES = "DefaultCPUAllocator: can't allocate memory"
OUT_OF_MEMORY = b'{"memory": true}'
MOST_FAILURE_CHARACTERS = 1_000


def perform(task: Task, arguments: BinaryIO, data: BinaryIO, limits: Limits) -> bytes:
    """Do the task; whatever it raises becomes an answer, too.

    Args:
        task: What to do.
        arguments: A file with what it is told, as JSON.
        data: A file for it.
        limits: Of this run.
    """
    try:
        _seed()
        value = task(json.loads(arguments.read()), data, limits)
        return json.dumps({"value": value}, allow_nan=False).encode()
    except MemoryError:
        return OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - a stranger's program may raise anything
        return _told(error)


def _seed() -> None:
    """Let every run draw the same numbers; the zygote's state came along with the fork."""
    random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)  # torch.manual_seed would ask for GPUs as well
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed(0)


def _told(error: BaseException) -> bytes:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - it is a stranger's class
        text = ""
    if ALLOCATOR_REFUSES in text:
        return OUT_OF_MEMORY
    return failure(f"{type(error).__name__}: {text}")


def failure(text: str) -> bytes:
    """The answer that says why there is no value."""
    return json.dumps({"failed": text[:MOST_FAILURE_CHARACTERS]}).encode()
