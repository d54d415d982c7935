"""What happens where tensors of different devices meet in one operation: allowed, or which error.

Reached only when they do differ, so it may take its time. The rules are those of the CUDA build:
element-wise kernels (TensorIterator) let one 0-dim CPU tensor in; kernels with a generated check
let nothing in and name the argument; indexing, convolution and a few more have their own words.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import texts
from playground.machines.simulated.host import refuse
from playground.machines.simulated.kernels import kernel_of
from playground.machines.simulated.tag import CPU, device_named, index_of

aten = torch.ops.aten
Arguments = Sequence[Any]


def judge(operation: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    """Decide on an operation whose tensors are on different devices.

    Returns:
        Where its new tensors live.

    Raises:
        RuntimeError: CUDA would refuse it; the text is CUDA's.
        NotSimulatedError: What CUDA does then is up to the kernel.
    """
    if any(tensor.is_meta for _, tensor in named_tensors(operation, args, kwargs)):
        raise refuse("meta tensors beside simulated GPUs")
    packet = operation.overloadpacket
    if packet in OWN_WORDS:
        return OWN_WORDS[packet](operation, args, kwargs)
    if operation._schema.name.startswith("aten::_foreach_"):
        return _judge_lists(args)
    kernel = kernel_of(operation)
    if kernel.is_element_wise:
        return _judge_element_wise(operation, args, kwargs)
    if kernel.is_unchecked:
        raise refuse(f"{operation._schema.name} across devices")
    check_named(named_tensors(operation, args, kwargs), kernel.wrapper)
    return CPU  # not reached: they differ


def named_tensors(
    operation: OpOverload, args: Arguments, kwargs: dict[str, Any]
) -> Iterator[tuple[str, Tensor]]:
    """List the tensors in the order of the generated checks: ``out`` first, then by position."""
    for name, value in kwargs.items():
        yield from _tensors(name, value)
    for argument, value in zip(operation._schema.arguments, args, strict=False):
        yield from _tensors(argument.name, value)


def _tensors(name: str, value: object) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, list | tuple):
        for part in value:
            if isinstance(part, Tensor):
                yield name, part


def check_named(tensors: Iterator[tuple[str, Tensor]], wrapper: str) -> None:
    """Refuse the first tensor that is not where the ones before it are, by its name."""
    common: int | None = None
    for name, tensor in tensors:
        index = index_of(tensor)
        if common is None:
            common = index
        elif index != common:
            raise texts.named_argument(name, device_named(index), device_named(common), wrapper)


def _judge_element_wise(operation: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    outputs: list[Tensor] = []
    inputs: list[Tensor] = []
    for position, argument in enumerate(operation._schema.arguments):
        value = args[position] if position < len(args) else kwargs.get(argument.name)
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        (outputs if is_written else inputs).extend(tensor for _, tensor in _tensors("", value))
    return check_element_wise(outputs, inputs)


def check_element_wise(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], most_cpu_scalars: int = 1
) -> int:
    """Apply TensorIterator's rule (compute_types); return the device of the result."""
    operands = [*outputs, *inputs]
    indices = [index_of(operand) for operand in operands]
    common = next(index for index in indices if index != CPU)
    scalars = 0
    for position, (operand, index) in enumerate(zip(operands, indices, strict=True)):
        if index == common:
            continue
        if index == CPU and operand.dim() == 0 and position >= len(outputs):
            scalars += 1
            if scalars > most_cpu_scalars:
                raise texts.too_many_cpu_scalars()
        else:
            raise texts.two_devices(device_named(common), device_named(index))
    return common


def _judge_lists(args: Arguments) -> int:
    lists = [value for value in args if isinstance(value, list | tuple) and value]
    lists = [value for value in lists if isinstance(value[0], Tensor)]
    scalars = [value for value in args if isinstance(value, Tensor)]
    index = CPU
    for together in zip(*lists, strict=False):
        tensors = [*together, *scalars]
        if len({index_of(tensor) for tensor in tensors}) > 1:
            index = check_element_wise(tensors[:1], tensors[1:])
        else:
            index = index_of(tensors[0])
    return index


def _judge_where(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    del kwargs
    return check_element_wise((), args[:3], most_cpu_scalars=3)


def _judge_index(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    del kwargs
    indexed, indices = args[0], args[1]
    here = index_of(indexed)
    for index in indices:
        if isinstance(index, Tensor) and index_of(index) not in (CPU, here):
            raise texts.indices_elsewhere(device_named(here))
    if len(args) > 2:  # index_put: the values; a 0-dim one is moved, from any device
        values = args[2]
        if index_of(values) != here and values.dim() > 0:
            check_element_wise((indexed,), (values,))
    return here


def _judge_masked_fill(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    del kwargs
    filled, mask = index_of(args[0]), index_of(args[1])
    if filled != mask:
        raise texts.mask_elsewhere(device_named(mask), device_named(filled))
    return filled


def _judge_convolution(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    del kwargs
    given, weight, bias = args[:3]
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is None or (index_of(given) == CPU) == (index_of(parameter) == CPU):
            continue
        raise texts.convolution_types(name, type_name(given), type_name(parameter))
    check_named(iter((("input", given), ("weight", weight))), "wrapper_CUDA__cudnn_convolution")
    check_named(iter((("self", given), ("other", bias))), "wrapper_CUDA_add__Tensor")
    return index_of(given)


def _judge_through(wrapper: str, *names: str) -> Callable[..., int]:
    """Judge an operation that reaches its devices through another kernel."""

    def judge_inner(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
        del kwargs
        found = [
            pair for name, arg in zip(names, args, strict=False) for pair in _tensors(name, arg)
        ]
        check_named(iter(found), wrapper)
        return CPU

    return judge_inner


def _judge_ctc(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    """The lengths may be on the CPU; they are read there."""
    del kwargs
    check_named(iter((("log_probs", args[0]), ("targets", args[1]))), "wrapper_CUDA___ctc_loss")
    return index_of(args[0])


def _judge_mv(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    """A result is made beside the vector, and added into (LinearAlgebra.cpp, mv)."""
    del kwargs
    matrix, vector = args[:2]
    check_named(iter((("self", vector), ("mat", matrix))), "wrapper_CUDA_addmv_")
    return index_of(vector)


def _stays(_: OpOverload, args: Arguments, kwargs: dict[str, Any]) -> int:
    """Copying into a tensor crosses devices freely, and the tensor stays where it is."""
    del kwargs
    first = args[0][0] if isinstance(args[0], list | tuple) else args[0]
    return index_of(first)


def type_name(tensor: Tensor) -> str:
    """Name a tensor's type as ``Tensor.type()`` does on CUDA."""
    with torch._C.DisableTorchFunction():
        plain = tensor.type()
    return plain if index_of(tensor) == CPU else plain.replace("torch.", "torch.cuda.", 1)


OWN_WORDS: dict[Any, Callable[[OpOverload, Arguments, dict[str, Any]], int]] = {
    aten.where: _judge_where,
    aten.index: _judge_index,
    aten.index_put: _judge_index,
    aten.index_put_: _judge_index,
    aten._index_put_impl_: _judge_index,
    aten.masked_fill: _judge_masked_fill,
    aten.masked_fill_: _judge_masked_fill,
    aten.convolution: _judge_convolution,
    aten.embedding: _judge_through("wrapper_CUDA__index_select", "self", "index"),
    aten.stack: _judge_through("wrapper_CUDA_cat", "tensors"),
    aten.native_batch_norm: _judge_through(
        "wrapper_CUDA__cudnn_batch_norm", "input", "weight", "bias", "running_mean", "running_var"
    ),
    aten._native_batch_norm_legit: _judge_through(
        "wrapper_CUDA__cudnn_batch_norm", "input", "weight", "bias", "running_mean", "running_var"
    ),
    aten._ctc_loss: _judge_ctc,
    aten.mv: _judge_mv,
    aten.copy_: _stays,
    aten._foreach_copy_: _stays,
    aten.slice_scatter: _stays,
    aten.select_scatter: _stays,
    aten.diagonal_scatter: _stays,
}
