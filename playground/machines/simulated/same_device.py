"""The rules for operations whose tensors are on different devices: the result's device or an error.

The rules are those of the CUDA build. Element-wise kernels (TensorIterator) accept one 0-dim CPU
tensor; kernels with a generated check accept none and name the argument; indexing, convolution and
a few more have messages of their own. ``resolve_devices`` is called only when the devices differ,
so it need not be fast. ``check_float_kernel`` refuses integers for which CUDA has no kernel, on one
device too.

PyTorch's wheels contain ``native_functions.yaml``, from which the device checks of the CUDA build
are generated (``torchgen/dest/register_dispatch_key.py``), so the names in the messages are those
of the installed release. The file is read when tensors of two devices first meet.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torchgen  # type: ignore[import-untyped]
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import error_messages
from playground.machines.simulated.error_messages import not_simulated
from playground.machines.simulated.host import Arguments, Options
from playground.machines.simulated.storages import CPU, device_index, torch_device, type_name

aten = torch.ops.aten
DECLARATIONS = Path("packaged/ATen/native/native_functions.yaml")
UNKNOWN_MESSAGE = ""  # the error's message depends on the libraries that CUDA was built with
FLOAT_KERNELS: dict[Any, str] = {  # the names in aten/src/ATen/native/cuda/Blas.cpp
    aten.mm: "addmm_cuda",
    aten.addmm: "addmm_cuda",
    aten.addmm_: "addmm_cuda",
    aten.bmm: "baddbmm_cuda",
    aten.baddbmm: "baddbmm_cuda",
    aten.baddbmm_: "baddbmm_cuda",
    aten.mv: "addmv_impl_cuda",
    aten.addmv: "addmv_impl_cuda",
    aten.addmv_: "addmv_impl_cuda",
    aten.dot: "dot",
    aten.convolution: UNKNOWN_MESSAGE,
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One operation of the CUDA build.

    Attributes:
        is_element_wise: TensorIterator checks the devices, not a generated wrapper. Also true for a
            function without a CUDA kernel that calls element-wise ones, such as ``allclose``.
        is_unchecked: There is no check, and the result depends on the kernel.
        wrapper: The name of the method in the generated check, e.g. ``wrapper_CUDA_addmm``.
    """

    is_element_wise: bool
    is_unchecked: bool
    wrapper: str


@cache
def kernel_of(operation: OpOverload) -> Kernel:
    """Return how the CUDA kernel of an operation checks its devices."""
    declaration = _declaration(operation)
    is_structured = re.search(r"^  structured(_delegate)?:", declaration, re.MULTILINE) is not None
    has_kernel = re.search(r"^    [^:]*\bCUDA\b[^:]*:", declaration, re.MULTILINE) is not None
    unchecked = re.search(r"^  device_check: NoCheck(.*)$", declaration, re.MULTILINE)
    if unchecked is not None:
        is_element_wise = is_structured or "TensorIterator" in unchecked[1]
    else:
        is_element_wise = not (is_structured or has_kernel)
    return Kernel(
        is_element_wise=is_element_wise,
        is_unchecked=unchecked is not None and not is_element_wise,
        wrapper=_wrapper(operation, is_structured),
    )


def _wrapper(operation: OpOverload, is_structured: bool) -> str:
    """Name the generated method (torchgen/api/native.py and api/cpp.py, ``name``)."""
    schema = operation._schema
    function, overload = schema.name.removeprefix("aten::"), schema.overload_name
    if any(part.kwarg_only and part.alias_info is not None for part in schema.arguments):
        function += "_out"
    if is_structured:
        return "_".join(filter(None, ("wrapper_CUDA", function, overload)))
    return f"wrapper_CUDA_{overload}_{function}"


def _declaration(operation: OpOverload) -> str:
    schema = operation._schema
    function = schema.name.removeprefix("aten::")
    if schema.overload_name:
        function += f".{schema.overload_name}"
    found = re.search(
        rf"^- func: {re.escape(function)}\(.*?(?=^- func: |\Z)", _declarations(), re.DOTALL | re.M
    )
    return found[0] if found else ""


@cache
def _declarations() -> str:
    return (Path(torchgen.__path__[0]) / DECLARATIONS).read_text(encoding="utf-8")


def check_float_kernel(kernel: str, result: Tensor) -> None:
    """Refuse an integer result, once the operation has accepted the shapes.

    Raises:
        NotImplementedError: The CUDA kernel has no version for this type.
        NotSimulatedError: CUDA raises an error too, but its message is not known.
    """
    if result.is_floating_point() or result.is_complex() or result.numel() == 0:
        return
    if kernel == UNKNOWN_MESSAGE:
        raise not_simulated("a convolution of integers on a GPU")
    raise error_messages.no_kernel(kernel, result.type().rpartition(".")[2].removesuffix("Tensor"))


def resolve_devices(operation: OpOverload, args: Arguments, kwargs: Options) -> int:
    """Return the device of an operation's results, where its tensors are on different devices.

    Raises:
        RuntimeError: CUDA raises it, with the same message.
        NotSimulatedError: The result depends on the kernel.
    """
    if any(tensor.is_meta for _, tensor in named_tensors(operation, args, kwargs)):
        raise not_simulated("meta tensors beside simulated GPUs")
    packet = operation.overloadpacket
    if packet in SPECIAL_RULES:
        return SPECIAL_RULES[packet](operation, args, kwargs)
    if operation._schema.name.startswith("aten::_foreach_"):
        return _resolve_lists(args)
    kernel = kernel_of(operation)
    if kernel.is_element_wise:
        return _resolve_element_wise(operation, args, kwargs)
    if kernel.is_unchecked:
        raise not_simulated(f"{operation._schema.name} across devices")
    check_named(named_tensors(operation, args, kwargs), kernel.wrapper)
    return CPU  # not reached: they differ


def named_tensors(
    operation: OpOverload, args: Arguments, kwargs: Options
) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors in the order of the generated checks: ``out`` first, then by position."""
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
    """Raise an error that names the first tensor whose device differs from those before."""
    common: int | None = None
    for name, tensor in tensors:
        index = device_index(tensor)
        if common is None:
            common = index
        elif index != common:
            raise error_messages.named_argument(
                name, torch_device(index), torch_device(common), wrapper
            )


def _resolve_element_wise(operation: OpOverload, args: Arguments, kwargs: Options) -> int:
    outputs: list[Tensor] = []
    inputs: list[Tensor] = []
    for position, argument in enumerate(operation._schema.arguments):
        value = args[position] if position < len(args) else kwargs.get(argument.name)
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        (outputs if is_written else inputs).extend(tensor for _, tensor in _tensors("", value))
    return check_element_wise(outputs, inputs)


def check_element_wise(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], max_cpu_scalars: int = 1
) -> int:
    """Apply TensorIterator's rule (compute_types); return the device of the result."""
    operands = [*outputs, *inputs]
    indices = [device_index(operand) for operand in operands]
    common = next(index for index in indices if index != CPU)
    scalars = 0
    for position, (operand, index) in enumerate(zip(operands, indices, strict=True)):
        if index == common:
            continue
        if index == CPU and operand.dim() == 0 and position >= len(outputs):
            scalars += 1
            if scalars > max_cpu_scalars:
                raise error_messages.too_many_cpu_scalars()
        else:
            raise error_messages.two_devices(torch_device(common), torch_device(index))
    return common


def _resolve_lists(args: Arguments) -> int:
    lists = [value for value in args if isinstance(value, list | tuple) and value]
    lists = [value for value in lists if isinstance(value[0], Tensor)]
    scalars = [value for value in args if isinstance(value, Tensor)]
    index = CPU
    for together in zip(*lists, strict=False):
        tensors = [*together, *scalars]
        if len({device_index(tensor) for tensor in tensors}) > 1:
            index = check_element_wise(tensors[:1], tensors[1:])
        else:
            index = device_index(tensors[0])
    return index


def _resolve_where(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    return check_element_wise((), args[:3], max_cpu_scalars=3)


def _resolve_index(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    indexed, indices = args[0], args[1]
    here = device_index(indexed)
    for index in indices:
        if isinstance(index, Tensor) and device_index(index) not in (CPU, here):
            raise error_messages.indices_on_other_device(torch_device(here))
    if len(args) > 2:  # index_put: the values; a 0-dim one is moved, from any device
        values = args[2]
        if device_index(values) != here and values.dim() > 0:
            check_element_wise((indexed,), (values,))
    return here


def _resolve_masked_fill(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    filled, mask = device_index(args[0]), device_index(args[1])
    if filled != mask:
        raise error_messages.mask_on_other_device(torch_device(mask), torch_device(filled))
    return filled


def _resolve_convolution(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    given, weight, bias = args[:3]
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is None or (device_index(given) == CPU) == (device_index(parameter) == CPU):
            continue
        raise error_messages.convolution_types(name, type_name(given), type_name(parameter))
    check_named(iter((("input", given), ("weight", weight))), "wrapper_CUDA__cudnn_convolution")
    check_named(iter((("self", given), ("other", bias))), "wrapper_CUDA_add__Tensor")
    return device_index(given)


def _resolve_through(wrapper: str, *names: str) -> Callable[..., int]:
    """Make the rule of an operation whose devices another kernel checks."""

    def resolve_inner(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
        found = [
            pair for name, arg in zip(names, args, strict=False) for pair in _tensors(name, arg)
        ]
        check_named(iter(found), wrapper)
        return CPU

    return resolve_inner


def _resolve_ctc(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    """Check all but the lengths, which are read on the CPU."""
    check_named(iter((("log_probs", args[0]), ("targets", args[1]))), "wrapper_CUDA___ctc_loss")
    return device_index(args[0])


def _resolve_mv(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    """Check as ``addmv_`` into a result on the vector's device (LinearAlgebra.cpp, mv)."""
    matrix, vector = args[:2]
    check_named(iter((("self", vector), ("mat", matrix))), "wrapper_CUDA_addmv_")
    return device_index(vector)


def _device_of_first(_: OpOverload, args: Arguments, _kwargs: dict[str, Any]) -> int:
    """Return the device of the tensor that is copied into; the source may be on any."""
    first = args[0][0] if isinstance(args[0], list | tuple) else args[0]
    return device_index(first)


SPECIAL_RULES: dict[Any, Callable[[OpOverload, Arguments, dict[str, Any]], int]] = {
    aten.where: _resolve_where,
    aten.index: _resolve_index,
    aten.index_put: _resolve_index,
    aten.index_put_: _resolve_index,
    aten._index_put_impl_: _resolve_index,
    aten.masked_fill: _resolve_masked_fill,
    aten.masked_fill_: _resolve_masked_fill,
    aten.convolution: _resolve_convolution,
    aten.embedding: _resolve_through("wrapper_CUDA__index_select", "self", "index"),
    aten.stack: _resolve_through("wrapper_CUDA_cat", "tensors"),
    aten.native_batch_norm: _resolve_through(
        "wrapper_CUDA__cudnn_batch_norm", "input", "weight", "bias", "running_mean", "running_var"
    ),
    aten._native_batch_norm_legit: _resolve_through(
        "wrapper_CUDA__cudnn_batch_norm", "input", "weight", "bias", "running_mean", "running_var"
    ),
    aten._ctc_loss: _resolve_ctc,
    aten.mv: _resolve_mv,
    aten.copy_: _device_of_first,
    aten._foreach_copy_: _device_of_first,
    aten.slice_scatter: _device_of_first,
    aten.select_scatter: _device_of_first,
    aten.diagonal_scatter: _device_of_first,
}
