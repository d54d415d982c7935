"""The devices and dtypes that the CUDA kernel of an operation accepts.

PyTorch's wheels contain ``native_functions.yaml``, from which the device checks of the CUDA build
are generated (``torchgen/dest/register_dispatch_key.py``), so the names in the messages are those
of the installed release. The file is read when tensors of two devices first meet.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torchgen  # type: ignore[import-untyped]
from torch import Tensor
from torch._ops import OpOverload

from playground.machines.simulated import error_messages
from playground.machines.simulated.host import not_simulated

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
