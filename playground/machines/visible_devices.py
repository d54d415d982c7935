"""Parses CUDA_VISIBLE_DEVICES: the visible GPUs and their order; loads no torch.

CUDA reads the value as C's strtoul does, element by element, and stops at the first invalid one: https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html
"""

import re
from collections.abc import Sequence

LEADING_NUMBER = re.compile(r"[+-]?[0-9]+")


def simulated_uuids(count: int) -> tuple[str, ...]:
    """Return the UUIDs of the GPUs of a simulated host, in the driver's format.

    >>> simulated_uuids(2)
    ('GPU-51b0a7ed-0000-0000-0000-000000000000', 'GPU-51b0a7ed-0000-0000-0000-000000000001')
    """
    return tuple(f"GPU-51b0a7ed-0000-0000-0000-{physical:012d}" for physical in range(count))


def visible_gpus(value: str | None, uuids: Sequence[str]) -> tuple[int, ...]:
    """Return the physical index of each ``cuda:i``.

    Args:
        value: The value of the variable; None if it is not set.
        uuids: One per physical GPU, e.g. ``"GPU-8f2c…"``, in physical order.



    >>> visible_gpus("2,0", ["GPU-a", "GPU-b", "GPU-c"]), visible_gpus("0,9,1", ["GPU-a", "GPU-b"])
    ((2, 0), (0,))
    """
    if value is None:
        return tuple(range(len(uuids)))
    if value.startswith(("GPU-", "MIG-")):
        return _by_uuid(value.split(","), value[:4], uuids)
    return _by_index(value.split(","), len(uuids))


def _by_index(elements: Sequence[str], count: int) -> tuple[int, ...]:
    indices: list[int] = []
    for element in elements:
        index = _index(element)
        if index < 0:
            break
        if index in indices:
            return ()  # a repeated index hides every GPU
        indices.append(index)
    known = next((place for place, index in enumerate(indices) if index >= count), len(indices))
    return tuple(indices[:known])


def _index(element: str) -> int:
    """Return the number at the start of an element; -1 if there is none, as in CUDA.

    >>> _index(" 1"), _index("2gpu"), _index("x"), _index("-1")
    (1, 2, -1, -1)
    """
    number = LEADING_NUMBER.match(element.strip())
    return int(number.group()) if number else -1


def _by_uuid(elements: Sequence[str], prefix: str, uuids: Sequence[str]) -> tuple[int, ...]:
    written: list[str] = []
    for element in elements:
        if element in written:
            return ()
        if not element.startswith(prefix):
            break
        written.append(element)
    indices: list[int] = []
    for element in written:
        found = [index for index, uuid in enumerate(uuids) if uuid.startswith(element)]
        if len(found) != 1:  # the prefix of no UUID, or of several
            break
        if found[0] in indices:
            return ()
        indices.append(found[0])
    return tuple(indices)
