"""The dispatch mode: compares the devices of each ATen operation and places its result.

CUDA checks devices at this level too. Every operation passes here after autograd: the inside of
losses and layers, optimizers, and each step of a backward pass.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._C import DisableTorchFunction
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from playground.machines.simulated import error_messages, same_device, storages
from playground.machines.simulated.cuda_devices import draw
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import (
    Arguments,
    Options,
    SimulatedHost,
    replace_allocator_error,
    this_thread,
)
from playground.machines.simulated.same_device import FLOAT_KERNELS, check_float_kernel
from playground.machines.simulated.storages import (
    CPU,
    DEVICE_ATTRIBUTE,
    LARGE_NUMEL,
    device_index,
    max_growth,
    result_bytes,
    storage_index,
    storage_of,
    torch_device,
)

aten = torch.ops.aten
UNFILLED = {"empty", "empty_strided", "empty_like", "new_empty", "zeros", "new_zeros"}
MIXED = -2  # tensors of several devices
NOWHERE = -3  # no tensors

OperationHandler = Callable[[SimulatedHost, OpOverload, Sequence[Any], dict[str, Any]], Any]


def _pack(host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options) -> Any:
    """Check that the lengths are on the CPU; the batch sizes stay there."""
    lengths = device_index(args[1])
    if lengths != CPU:
        raise error_messages.lengths_on_gpu(args[1].dim(), torch_device(lengths))
    packed, batch_sizes = operation(*args, **kwargs)
    host.place(packed.untyped_storage(), device_index(args[0]))
    return packed, batch_sizes


def _set(_host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options) -> Any:
    """Check that the storage is on the tensor's device; an empty tensor accepts any."""
    tensor, source = args[:2]
    here = device_index(tensor)
    there = device_index(source) if isinstance(source, torch.Tensor) else storage_index(source)
    if here != there and tensor.untyped_storage().nbytes() > 0:
        raise error_messages.storage_on_other_device(torch_device(here), torch_device(there))
    return operation(*args, **kwargs)


def _resize(host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options) -> Any:
    """Allocate new memory on the same device if the tensor grows."""
    index, storage = device_index(args[0]), args[0].untyped_storage()
    before = storage.nbytes()
    shape = args[1].shape if isinstance(args[1], torch.Tensor) else args[1]
    after = math.prod(shape) * args[0].element_size()
    if after > before and index != CPU:
        host.require(index, after - before, fills_memory=True)
    result = operation(*args, **kwargs)
    if storage.nbytes() != before and index != CPU:
        host.move(storage, CPU)
        host.place(storage, index)
    return result


def _create_range(
    host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options
) -> Any:
    """Ignore the devices of the ends, whose values are read."""
    result = operation(*args, **kwargs)
    host.place(result.untyped_storage(), CPU if host.target_index is None else host.target_index)
    return result


def _refuse_on_gpu(
    _host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options
) -> Any:
    if any(device_index(arg) != CPU for arg in args if isinstance(arg, torch.Tensor)):
        raise not_simulated(f"{operation._schema.name} on a GPU")
    return operation(*args, **kwargs)


OPERATION_HANDLERS: dict[OpOverload, OperationHandler] = {
    aten._pack_padded_sequence.default: _pack,
    aten.set_.source_Storage: _set,
    aten.set_.source_Storage_storage_offset: _set,
    aten.set_.source_Tensor: _set,
    aten.set_.source_Tensor_storage_offset: _set,
    aten.resize_.default: _resize,
    aten.resize_as_.default: _resize,
    aten.linspace.Tensor_Tensor: _create_range,
    aten.linspace.Tensor_Scalar: _create_range,
    aten.linspace.Scalar_Tensor: _create_range,
    aten.logspace.Tensor_Tensor: _create_range,
    aten.logspace.Tensor_Scalar: _create_range,
    aten.logspace.Scalar_Tensor: _create_range,
    aten.record_stream.default: _refuse_on_gpu,
}


@dataclass(frozen=True, slots=True)
class OperationTraits:
    """Properties of an operation that do not depend on its arguments.

    Attributes:
        handler: Runs an operation whose result is not simply on the device of its arguments.
        is_composite: Consists of other operations; it arrives whole only in inference mode.
        creates: Returns new memory, unlike views and in-place operations.
        draws: Draws random numbers.
        fills_memory: Writes its results; without, uncommitted memory will do.
        uses: Reads or writes the memory of its arguments, unlike a view.
        float_kernel: The CUDA kernel without a version for integers, if any.
    """

    handler: OperationHandler | None
    is_composite: bool
    creates: bool
    draws: bool
    fills_memory: bool
    uses: bool
    float_kernel: str | None


_traits_by_id: dict[
    int, OperationTraits
] = {}  # by id: operations are never freed, and hashing them is slow


def traits_of(operation: OpOverload) -> OperationTraits:
    """Return the traits of an operation, read from its schema once."""
    schema = operation._schema
    creates = any(value.alias_info is None for value in schema.returns) or "lift" in schema.name
    fills_memory = schema.name.removeprefix("aten::") not in UNFILLED
    writes = any(each.alias_info and each.alias_info.is_write for each in schema.arguments)
    traits = OperationTraits(
        handler=OPERATION_HANDLERS.get(operation),
        is_composite=torch._C._dispatch_has_kernel_for_dispatch_key(
            operation.name(),  # type: ignore[no-untyped-call]
            "CompositeImplicitAutograd",
        ),
        creates=creates,
        draws=torch.Tag.nondeterministic_seeded in operation.tags,
        fills_memory=fills_memory,
        uses=writes or (creates and fills_memory),
        float_kernel=FLOAT_KERNELS.get(operation.overloadpacket),
    )
    _traits_by_id[id(operation)] = traits
    return traits


class SimulatedDispatchMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Runs each operation on the CPU and tracks the devices of its tensors."""

    def __init__(self, host: SimulatedHost) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.host = host

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Skip the wrapper that keeps torch.compile out; it costs 5 µs per operation."""
        return False

    def __torch_dispatch__(
        self,
        operation: OpOverload,
        types: Sequence[type],
        args: Arguments = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        kwargs = kwargs or {}
        host = self.host
        if this_thread.host is not host:
            return operation(*args, **kwargs)
        traits = _traits_by_id.get(id(operation)) or traits_of(operation)
        if traits.is_composite:
            with self:
                return operation.decompose(*args, **kwargs)
        with DisableTorchFunction():
            if traits.handler is not None:
                return traits.handler(host, operation, args, kwargs)
            index, size = _result_device(host, operation, args, kwargs)
            host.last_index = index
            if index == CPU:
                return operation(*args, **kwargs)
            if traits.creates and (size >= LARGE_NUMEL or size * max_growth(args) >= LARGE_NUMEL):
                host.require(index, result_bytes(operation, args, kwargs), traits.fills_memory)
            if host.has_uncommitted and traits.uses:
                zeros = storages.commit_arguments(operation, args, kwargs)
                if zeros is not None:
                    return zeros
            result = _compute(host, traits, index, operation, args, kwargs)
            if traits.float_kernel is not None:
                check_float_kernel(traits.float_kernel, result)
            if traits.creates:
                _place_result(host, result, index)
        return result


def _compute(
    host: SimulatedHost,
    traits: OperationTraits,
    index: int,
    operation: OpOverload,
    args: Arguments,
    kwargs: Options,
) -> Any:
    """Compute on the CPU; memory that it cannot allocate stays uncommitted, if possible."""
    try:
        if traits.draws:
            return draw(host, index, operation, args, kwargs)
        return operation(*args, **kwargs)
    except RuntimeError as error:
        refusal = replace_allocator_error(error)
        result = None
        if refusal is not error and not traits.fills_memory:
            result = storages.allocate_uncommitted(operation, args, kwargs)
            host.has_uncommitted = host.has_uncommitted or result is not None
        if result is None:
            raise refusal from None
        return result


def _result_device(
    host: SimulatedHost, operation: OpOverload, args: Arguments, kwargs: Options
) -> tuple[int, int]:
    """Return the device of the result and the number of elements that go in."""
    index, size = _common_device(args, kwargs)
    if index == MIXED:
        index = same_device.resolve_devices(operation, args, kwargs)
        host.met_cpu_scalar = True
    if host.target_index is not None:
        index = host.target_index
    elif index == NOWHERE:
        index = _factory_device(host)
    return index, size


def _common_device(args: Arguments, kwargs: Options) -> tuple[int, int]:
    """Return the common device of the tensors that go in, and their number of elements."""
    found: int | None = None
    size = 0
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            index = device_index(value)
            size += value.numel()
            if index != found:
                if found is not None:
                    return MIXED, LARGE_NUMEL
                found = index
        elif isinstance(value, list | tuple):
            for part in value:
                if isinstance(part, Tensor):
                    index = device_index(part)
                    size += part.numel()
                    if index != found:
                        if found is not None:
                            return MIXED, LARGE_NUMEL
                        found = index
    return (NOWHERE, LARGE_NUMEL) if found is None else (found, size)


def _factory_device(host: SimulatedHost) -> int:
    """Return the device of a factory call without a device.

    Called by the program, it is the CPU. Called inside a C++ function, such as ``one_hot``, or in
    a formula of a backward pass, it is that of the tensors: C++ passes on their options.
    """
    if host.current_call is not None:
        return _first_device(*host.current_call)
    return host.last_index if torch._C._current_graph_task_id() >= 0 else CPU


def _first_device(args: Arguments, kwargs: Options) -> int:
    """Return the device on which a C++ function creates a result: that of its first tensor."""
    index = _common_device(args, kwargs)[0]
    if index != MIXED:
        return max(index, CPU)
    for value in (*args, *kwargs.values()):
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, Tensor):
                return device_index(part)
    return CPU


def _place_result(host: SimulatedHost, result: Any, index: int) -> None:
    if isinstance(result, Tensor):
        storage = storage_of(result)
        if getattr(storage, DEVICE_ATTRIBUTE, None) is None and not result.is_meta:
            host.place(storage, index)
    elif isinstance(result, list | tuple):
        for part in result:
            _place_result(host, part, index)
