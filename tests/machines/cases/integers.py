"""Whole numbers and Python functions: what the CPU computes and CUDA has no kernel for.

The kernels' names are those of aten/src/ATen/native/cuda/Blas.cpp; the sentence around them is
that of ATen/Dispatch.h, which the CPU's kernels say as well.
"""

import torch

from tests.machines.cases.case import Refusal, as_on_cpu, row, table


def missing(kernel: str, scalar: str) -> Refusal:
    return Refusal(rf"\"{kernel}\" not implemented for '{scalar}'", "NotImplementedError")


def ones(*shape, dtype=torch.int64):
    return torch.ones(*shape, dtype=dtype, device="cuda")


@as_on_cpu
def sums_and_comparisons(device):
    x = torch.arange(6, device=device).reshape(2, 3)
    return [x.sum(), x * x, x > 2, x.cumsum(1)]


table(
    __name__,
    matrix_product=row(missing("addmm_cuda", "Long"), lambda: ones(2, 2) @ ones(2, 2)),
    batched_matrix_product=row(
        missing("baddbmm_cuda", "Int"),
        lambda: ones(1, 2, 2, dtype=torch.int32) @ ones(1, 2, 2, dtype=torch.int32),
    ),
    matrix_times_vector=row(missing("addmv_impl_cuda", "Long"), lambda: ones(2, 2) @ ones(2)),
    dot_product=row(missing("dot", "Long"), lambda: ones(2) @ ones(2)),
    shapes_are_compared_first=row(
        Refusal(r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
        lambda: ones(2, 3) @ ones(2, 3),
    ),
    a_python_function_for_every_element=row(
        Refusal(r"apply_ is only implemented on CPU tensors", "TypeError"),
        lambda: torch.ones(2, device="cuda").apply_(lambda x: x + 1),
    ),
    a_python_function_for_every_pair=row(
        Refusal(r"map_ is only implemented on CPU tensors", "TypeError"),
        lambda: torch.ones(2, device="cuda").map_(torch.ones(2, device="cuda"), lambda a, b: a + b),
    ),
)
