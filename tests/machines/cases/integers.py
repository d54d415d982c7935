"""Whole numbers and Python functions: what the CPU computes and CUDA has no kernel for.

The kernels' names are those of aten/src/ATen/native/cuda/Blas.cpp; the sentence around them is
that of ATen/Dispatch.h, which the CPU's kernels say as well.
"""

import torch

from tests.machines.cases.case import Refusal, as_on_cpu, case


def missing(kernel: str, scalar: str) -> Refusal:
    return Refusal("NotImplementedError", rf"\"{kernel}\" not implemented for '{scalar}'")


def ones(*shape, dtype=torch.int64):
    return torch.ones(*shape, dtype=dtype, device="cuda")


@case(missing("addmm_cuda", "Long"))
def matrix_product():
    return ones(2, 2) @ ones(2, 2)


@case(missing("baddbmm_cuda", "Int"))
def batched_matrix_product():
    return ones(1, 2, 2, dtype=torch.int32) @ ones(1, 2, 2, dtype=torch.int32)


@case(missing("addmv_impl_cuda", "Long"))
def matrix_times_vector():
    return ones(2, 2) @ ones(2)


@case(missing("dot", "Long"))
def dot_product():
    return ones(2) @ ones(2)


@case(Refusal("RuntimeError", r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"))
def shapes_are_compared_first():
    return ones(2, 3) @ ones(2, 3)


@as_on_cpu
def sums_and_comparisons(device):
    x = torch.arange(6, device=device).reshape(2, 3)
    return [x.sum().item(), (x * x).tolist(), (x > 2).tolist(), x.cumsum(1).tolist()]


@case(Refusal("TypeError", r"apply_ is only implemented on CPU tensors"))
def a_python_function_for_every_element():
    return torch.ones(2, device="cuda").apply_(lambda x: x + 1)


@case(Refusal("TypeError", r"map_ is only implemented on CPU tensors"))
def a_python_function_for_every_pair():
    x = torch.ones(2, device="cuda")
    return x.map_(x, lambda a, b: a + b)
