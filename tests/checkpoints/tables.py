"""The inspector's oracle: a file read by torch and safetensors themselves, as a table."""

import io
import tracemalloc
import warnings
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from playground.checkpoints.inspect import Format, Inspection, allow_list, inspect

DTYPES = [getattr(torch, name) for name in allow_list.STORAGES.values()]
Row = tuple[Any, ...]
Path = tuple[str | int, ...]


def saved(thing: object) -> bytes:
    target = io.BytesIO()
    torch.save(thing, target)
    return target.getvalue()


def torch_load(data: bytes) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")


def read_tensors(data: bytes, found: Inspection) -> Iterator[tuple[Path, Tensor]]:
    """Every tensor that the library of that format reads."""
    is_safetensors = found.format is Format.SAFETENSORS
    return walk(safetensors.torch.load(data) if is_safetensors else torch_load(data))


PLACE = "path", "dtype", "shape", "stride", "offset", "storage_bytes"
fields = attrgetter(*PLACE, "requires_grad", "is_parameter", "bytes")


def row(path: Path, tensor: Tensor) -> Row:
    """These fields of a tensor, as torch says them."""
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


def found_table(found: Inspection) -> list[Row]:
    """Every tensor of an inspection."""
    return comparable(found, list(map(fields, found.tensors)))


def read_table(data: bytes, found: Inspection) -> list[Row]:
    """Every tensor that the library of that format reads."""
    return comparable(found, [row(path, tensor) for path, tensor in read_tensors(data, found)])


def comparable(found: Inspection, rows: list[Row]) -> list[Row]:
    """In their order; of safetensors by name: where the library puts them is its own affair."""
    return sorted(each[:4] for each in rows) if found.format is Format.SAFETENSORS else rows


def inspected(data: bytes, most_bytes: int = 4 * 2**20) -> Inspection:
    """Inspect a file, and see that it takes little memory beyond itself."""
    tracemalloc.start()
    try:
        found = inspect(data, "fuzz.pt")
        assert tracemalloc.get_traced_memory()[1] < most_bytes
    finally:
        tracemalloc.stop()
    assert found.reason
    assert found.accepted or found.advice
    return found
