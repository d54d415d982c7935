"""The exception: a 0-dim CPU tensor may meet tensors on any device."""

import torch

from tests.machines.cases.case import Refusal, case, row, table


@case([[3.0, 3.0], "cuda:0"])
def a_cpu_scalar_on_the_right():
    y = torch.ones(2, device="cuda") + torch.tensor(2.0)
    return [y.tolist(), str(y.device)]


@case([[2.0, 2.0], "cuda:0"])
def a_cpu_scalar_on_the_left():
    y = torch.tensor(2.0) * torch.ones(2, device="cuda")
    return [y.tolist(), str(y.device)]


@case([[1.0, 0.0], "cuda:0"])
def where_takes_cpu_scalars():
    x = torch.tensor([1.0, -1.0], device="cuda")
    y = torch.where(x > 0, torch.tensor(1.0), torch.tensor(0.0))
    return [y.tolist(), str(y.device)]


@case([[5.0, 5.0], "cuda:0"])
def in_place_with_a_cpu_scalar():
    x = torch.ones(2, device="cuda")
    x += torch.tensor(4.0)
    return [x.tolist(), str(x.device)]


@case([[3.0, 3.0], "cuda:0"])
def python_numbers():
    y = 1 + torch.ones(2, device="cuda") * 2
    return [y.tolist(), str(y.device)]


@case([[7.0, 1.0], "cuda:0"])
def a_cpu_scalar_is_assigned():
    x = torch.ones(2, device="cuda")
    x[0] = torch.tensor(7.0)
    return [x.tolist(), str(x.device)]


@case(["cuda:0", [0.0, 1.0]])
def masked_fill_with_a_cpu_scalar():
    x = torch.ones(2, device="cuda")
    mask = torch.tensor([True, False], device="cuda")
    y = x.masked_fill(mask, torch.tensor(0.0))
    return [str(y.device), y.tolist()]


table(
    __name__,
    both_0_dim=row(
        "cuda:0", lambda: str((torch.tensor(1.0) + torch.tensor(1.0, device="cuda")).device)
    ),
    a_cuda_scalar_does_not_meet_a_cpu_vector=row(
        Refusal(r"found at least two devices, cuda:0 and cpu!"),
        lambda: torch.ones(2) + torch.tensor(1.0, device="cuda"),
    ),
    a_vector_of_one_element_is_no_scalar=row(
        Refusal(r"found at least two devices, cuda:0 and cpu!"),
        lambda: torch.ones(2, device="cuda") + torch.ones(1),
    ),
    a_scalar_of_the_other_gpu=row(
        Refusal(r"found at least two devices, cuda:0 and cuda:1!"),
        lambda: torch.ones(2, device="cuda:0") + torch.tensor(1.0, device="cuda:1"),
        gpus=2,
    ),
    a_cpu_scalar_is_not_changed_by_a_gpu=row(
        Refusal(r"found at least two devices, cuda:0 and cpu!"),
        lambda: torch.tensor(1.0).add_(torch.tensor(1.0, device="cuda")),
    ),
    a_matrix_kernel_makes_no_exception=row(
        Refusal(r"Expected all tensors to be on the same device"),
        lambda: torch.addmm(
            torch.tensor(1.0), torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda")
        ),
    ),
)
