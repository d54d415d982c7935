"""Operations whose results do not simply live where their arguments do."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._ops import OpOverload

from playground.machines.simulated import texts
from playground.machines.simulated.host import SimulatedHost, refuse
from playground.machines.simulated.tag import CPU, device_named, index_of, storage_index

aten = torch.ops.aten
PlacedByHand = Callable[[SimulatedHost, OpOverload, Sequence[Any], dict[str, Any]], Any]


def _pack(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """The lengths are read on the CPU, and the batch sizes stay there."""
    lengths = index_of(args[1])
    if lengths != CPU:
        raise texts.lengths_on_gpu(args[1].dim(), device_named(lengths))
    packed, batch_sizes = operation(*args, **kwargs)
    host.place(packed.untyped_storage(), index_of(args[0]))
    return packed, batch_sizes


def _set(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """The tensor takes over a storage of its device; an empty one may still go anywhere."""
    del host
    tensor, source = args[:2]
    here = index_of(tensor)
    there = index_of(source) if isinstance(source, torch.Tensor) else storage_index(source)
    if here != there and tensor.untyped_storage().nbytes() > 0:
        raise texts.storage_elsewhere(device_named(here), device_named(there))
    return operation(*args, **kwargs)


def _resize(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Growing takes new memory on the same device."""
    index, storage = index_of(args[0]), args[0].untyped_storage()
    before = storage.nbytes()
    shape = args[1].shape if isinstance(args[1], torch.Tensor) else args[1]
    after = math.prod(shape) * args[0].element_size()
    if after > before and index != CPU:
        host.require(index, after - before, touches=True)
    result = operation(*args, **kwargs)
    if storage.nbytes() != before and index != CPU:
        host.move(storage, CPU)
        host.place(storage, index)
    return result


def _space(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Ends that are tensors are read; where they live does not matter."""
    result = operation(*args, **kwargs)
    host.place(result.untyped_storage(), CPU if host.target is None else host.target)
    return result


def _not_simulated(
    host: SimulatedHost, operation: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    del host
    if any(index_of(arg) != CPU for arg in args if isinstance(arg, torch.Tensor)):
        raise refuse(f"{operation._schema.name} on a GPU")
    return operation(*args, **kwargs)


PLACED_BY_HAND: dict[OpOverload, PlacedByHand] = {
    aten._pack_padded_sequence.default: _pack,
    aten.set_.source_Storage: _set,
    aten.set_.source_Storage_storage_offset: _set,
    aten.set_.source_Tensor: _set,
    aten.set_.source_Tensor_storage_offset: _set,
    aten.resize_.default: _resize,
    aten.resize_as_.default: _resize,
    aten.linspace.Tensor_Tensor: _space,
    aten.linspace.Tensor_Scalar: _space,
    aten.linspace.Scalar_Tensor: _space,
    aten.logspace.Tensor_Tensor: _space,
    aten.logspace.Tensor_Scalar: _space,
    aten.logspace.Scalar_Tensor: _space,
    aten.record_stream.default: _not_simulated,
}
