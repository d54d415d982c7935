"""How the CUDA kernel of an operation checks its devices, read from the installed torch.

PyTorch's wheels carry ``native_functions.yaml``, the file from which the device checks of the CUDA
build are generated (``torchgen/dest/register_dispatch_key.py``). So the names in the messages are
those of this release. It is read when two devices first meet, not before.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torchgen  # type: ignore[import-untyped]
from torch._ops import OpOverload

DECLARATIONS = Path("packaged/ATen/native/native_functions.yaml")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One operation of the CUDA build.

    Attributes:
        is_element_wise: TensorIterator checks the devices, not a generated wrapper. Also where
            there is no CUDA kernel, but a function made of element-wise ones, as ``allclose``.
        is_unchecked: Nothing checks, and what then happens is up to the kernel.
        wrapper: What the generated check calls the method, e.g. ``wrapper_CUDA_addmm``.
    """

    is_element_wise: bool
    is_unchecked: bool
    wrapper: str


@cache
def kernel_of(operation: OpOverload) -> Kernel:
    """Find how an operation checks its devices."""
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
