"""Does a task in the process that was made for it, and puts whatever came of it into JSON.

A task may answer in two parts: what it yields is sent at once and arrives even if the task is ended
after that; what it returns then follows.
"""

import json
import random
import sys
from collections.abc import Callable, Generator, Iterator
from typing import BinaryIO, TypeAlias

from playground.sandbox.json_values import JsonObject
from playground.sandbox.limits import Limits

InParts: TypeAlias = Generator[JsonObject, None, JsonObject]
Task: TypeAlias = Callable[[JsonObject, BinaryIO, Limits], JsonObject | InParts]
ALLOCATOR_REFUSES = "DefaultCPUAllocator: can't allocate memory"
OUT_OF_MEMORY = b'{"memory": true}'
END_OF_PART = b"\n"  # JSON of one line has none in it
MOST_FAILURE_CHARACTERS = 1_000


def perform(task: Task, arguments: BinaryIO, data: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """Do the task; whatever it raises becomes an answer, too.

    What is given is to be sent before more is asked for.

    Args:
        task: What to do.
        arguments: A file with what it is told, as JSON.
        data: A file for it.
        limits: Of this run.
    """
    try:
        _seed()
        value = task(json.loads(arguments.read()), data, limits)
        while not isinstance(value, dict):
            try:
                yield _written("first", next(value)) + END_OF_PART
            except StopIteration as ended:
                value = ended.value
        yield _written("value", value)
    except GeneratorExit:  # nobody wants the rest
        raise
    except MemoryError:
        yield OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - a stranger's program may raise anything
        yield _told(error)


def _written(key: str, value: JsonObject) -> bytes:
    return json.dumps({key: value}, allow_nan=False).encode()


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
