"""What torch and safetensors themselves read from a file, as a table; the inspector's oracle."""

import io
import tracemalloc
import warnings
from collections.abc import Iterator
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from playground.checkpoints.inspect import Format, Inspection, inspect

MEMORY_BYTES = 4 * 2**20
Row = tuple[Any, ...]
Path = tuple[str | int, ...]


def saved(thing: object) -> bytes:
    target = io.BytesIO()
    torch.save(thing, target)
    return target.getvalue()


def torch_table(data: bytes) -> list[Row]:
    """Every tensor that torch.load reads, in its order."""
    return [row(path, tensor) for path, tensor in walk(torch_load(data))]


def torch_load(data: bytes) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")


def read_tensors(data: bytes, found: Inspection) -> Iterator[tuple[Path, Tensor]]:
    """Every tensor that the library of that format reads."""
    is_safetensors = found.format is Format.SAFETENSORS
    return walk(safetensors.torch.load(data) if is_safetensors else torch_load(data))


def row(path: Path, tensor: Tensor) -> Row:
    said = str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), tensor.stride()
    kept = tensor.storage_offset(), tensor.untyped_storage().nbytes()
    flags = tensor.requires_grad, isinstance(tensor, nn.Parameter)
    return path, *said, *kept, *flags, tensor.numel() * tensor.element_size()


def walk(thing: object, path: Path = ()) -> Iterator[tuple[Path, Tensor]]:
    if isinstance(thing, Tensor):
        yield path, thing
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield from walk(value, (*path, key))
    elif type(thing) in (list, tuple):
        for place, value in enumerate(thing):
            yield from walk(value, (*path, place))


def safetensors_table(data: bytes) -> list[Row]:
    """Every tensor that the library reads, by name; where it puts them is its own affair."""
    loaded = safetensors.torch.load(data)
    return sorted(
        (name, str(each.dtype).removeprefix("torch."), tuple(each.shape), each.stride())
        for name, each in loaded.items()
    )


def found_table(found: Inspection) -> list[Row]:
    """The same from an inspection."""
    if found.format is Format.SAFETENSORS:
        return sorted((each.path[0], each.dtype, each.shape, each.stride) for each in found.tensors)
    return [
        (
            *(each.path, each.dtype, each.shape, each.stride, each.offset, each.storage_bytes),
            *(each.requires_grad, each.is_parameter, each.bytes),
        )
        for each in found.tensors
    ]


def read_table(data: bytes, found: Inspection) -> list[Row]:
    """What the library of that format reads."""
    return safetensors_table(data) if found.format is Format.SAFETENSORS else torch_table(data)


def inspected(data: bytes) -> Inspection:
    """Inspect a file of a few kB, and see that it takes no memory to speak of."""
    tracemalloc.start()
    try:
        found = inspect(data, "fuzz.pt")
        assert tracemalloc.get_traced_memory()[1] < MEMORY_BYTES
    finally:
        tracemalloc.stop()
    assert found.reason
    assert found.accepted or found.advice
    return found
