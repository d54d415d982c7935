"""Runs a task in the process that was made for it, and encodes its answer or error as JSON.

A task may answer in two parts: what it yields is sent at once and arrives even if the task is ended
after that; what it returns then follows.
"""

import json
import random
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import BinaryIO, TypeAlias

from playground.sandbox.jail.live import CHANNEL
from playground.sandbox.limits import Limits
from playground.sandbox.schema import JsonObject

InParts: TypeAlias = Generator[JsonObject, None, JsonObject]
Task: TypeAlias = Callable[[JsonObject, BinaryIO, Limits], JsonObject | InParts]
NO_MEMORY = (  # for a tensor, says PyTorch; for the frame of a call, says CPython
    "DefaultCPUAllocator: can't allocate memory",
    "error return without exception set",
)
OUT_OF_MEMORY = b'{"memory": true}'
END_OF_PART = b"\n"  # JSON of one line has none in it
MAX_FAILURE_CHARACTERS = 1_000
# the zygote imports each task and warms it up before any job
TASKS: Mapping[str, str] = {
    "self_test": "playground.sandbox.jail.self_test_task:self_test",
    "load_checkpoint": "playground.checkpoints.jailed.task:load_checkpoint",
    "compare_checkpoints": "playground.checkpoints.jailed.difference:compare_checkpoints",
    "run_cell": "playground.sandbox.cell.task:run_cell_task",
    "read_network": "playground.sandbox.cell.network_task:read_network",
}


def run_task(task: Task, arguments: BinaryIO, data: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """Run a task; whatever it raises becomes an answer, too.

    Send each part before the next one is requested.

    Args:
        task: What to do.
        arguments: A file with its arguments, as JSON.
        data: A file for it.
        limits: Of this run.
    """
    try:
        _seed()
        value = task(json.loads(arguments.read()), data, limits)
        while not isinstance(value, dict):
            try:
                part = next(value)
            except StopIteration as ended:
                value = ended.value
            else:
                CHANNEL.close()
                yield _encoded("first", part) + END_OF_PART
        CHANNEL.close()
        yield _encoded("value", value)
    except GeneratorExit:  # the rest is not needed
        raise
    except MemoryError:
        CHANNEL.close()
        yield OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - untrusted code may raise anything
        CHANNEL.close()
        yield _failure_of(error)


def _encoded(key: str, value: JsonObject) -> bytes:
    return json.dumps({key: value}, allow_nan=False).encode()


def _seed() -> None:
    """Give every run the same random numbers; the fork has inherited the zygote's state."""
    random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)  # torch.manual_seed would ask for GPUs as well
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed(0)


def _failure_of(error: BaseException) -> bytes:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - the class is untrusted
        text = ""
    if any(each in text for each in NO_MEMORY):
        return OUT_OF_MEMORY
    return failure(f"{type(error).__name__}: {text}")


def failure(text: str) -> bytes:
    """Encode the answer that says why there is no value."""
    return json.dumps({"failed": text[:MAX_FAILURE_CHARACTERS]}).encode()
