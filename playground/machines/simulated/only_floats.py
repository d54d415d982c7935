"""Operations that the CPU also computes for integers, and CUDA only for floating point numbers."""

from typing import Any

import torch
from torch import Tensor

from playground.machines.simulated import texts
from playground.machines.simulated.host import refuse

aten = torch.ops.aten
UNKNOWN = ""  # CUDA refuses, in words that depend on the libraries it was built with

ONLY_FLOATS: dict[Any, str] = {  # the names in aten/src/ATen/native/cuda/Blas.cpp
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
    aten.convolution: UNKNOWN,
}


def check_kernel(kernel: str, result: Tensor) -> None:
    """Refuse a result of integers; called after the shapes were found to fit.

    Raises:
        NotImplementedError: The CUDA kernel has no version for this type.
        NotSimulatedError: CUDA refuses too, but its words are not known.
    """
    if result.is_floating_point() or result.is_complex() or result.numel() == 0:
        return
    if kernel == UNKNOWN:
        raise refuse("a convolution of integers on a GPU")
    raise texts.no_kernel(kernel, result.type().rpartition(".")[2].removesuffix("Tensor"))
