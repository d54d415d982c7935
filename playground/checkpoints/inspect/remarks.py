"""What is worth knowing about an accepted file: nothing here refuses."""

import math
from collections.abc import Mapping
from itertools import compress, islice
from pathlib import PurePath

from playground.checkpoints.inspect.records import ITEM_BYTES, Path, Tensor
from playground.checkpoints.inspect.sentences import Sentence, sentence
from playground.checkpoints.inspect.shown import dotted
from playground.checkpoints.inspect.verdicts import Format

_SAFETENSORS_SUFFIX = ".safetensors"
_MOST_OF_A_KIND = 5


def find_remarks(
    tensors: tuple[Tensor, ...],
    groups: Mapping[str, tuple[Path, ...]],
    found: Format,
    file_name: str,
    *,
    unused_bytes: int = 0,
) -> tuple[Sentence, ...]:
    """Say what a file holds that its owner may not expect.

    Args:
        tensors: All its tensors.
        groups: The paths of those that read one storage.
        found: What its content says it is.
        file_name: What its name says it is.
        unused_bytes: Of storages that no tensor reads.
    """
    remarks = []
    if not tensors:
        remarks.append(sentence("notes", "no_tensors"))
    is_named_safetensors = PurePath(file_name).suffix.lower() == _SAFETENSORS_SUFFIX
    if is_named_safetensors != (found is Format.SAFETENSORS):
        remarks.append(sentence("notes", f"named_otherwise_{found}"))
    remarks += _of_devices(tensors)
    remarks += _of_views(tensors)
    remarks += _of_ties(groups)
    if unused_bytes:
        remarks.append(sentence("notes", "unused", {"size": unused_bytes}))
    return tuple(remarks)


def _of_devices(tensors: tuple[Tensor, ...]) -> list[Sentence]:
    devices = sorted({tensor.device for tensor in tensors} - {"cpu"})
    return [sentence("notes", "device", {"device": device}) for device in devices]


def _of_views(tensors: tuple[Tensor, ...]) -> list[Sentence]:
    """Storages of which all tensors together can reach only a part."""
    reached: dict[str, int] = {}
    for tensor in tensors:
        reached[tensor.storage] = reached.get(tensor.storage, 0) + _reached_bytes(tensor)
    found = (
        sentence(
            "notes",
            "view",
            {"name": tensor.name, "size": tensor.bytes, "storage": tensor.storage_bytes},
        )
        for tensor in tensors
        if reached[tensor.storage] < tensor.storage_bytes
    )
    return list(islice(found, _MOST_OF_A_KIND))


def _reached_bytes(tensor: Tensor) -> int:
    """At most how many bytes of its storage a tensor reads."""
    if 0 in tensor.shape:
        return 0
    return math.prod(compress(tensor.shape, tensor.stride)) * ITEM_BYTES[tensor.dtype]


def _of_ties(groups: Mapping[str, tuple[Path, ...]]) -> list[Sentence]:
    return [
        sentence("notes", "tied", {"names": ", ".join(map(dotted, paths[:4])), "count": len(paths)})
        for paths in islice(groups.values(), _MOST_OF_A_KIND)
    ]
