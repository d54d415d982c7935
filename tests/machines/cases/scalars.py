"""The exception: a 0-dim CPU tensor may meet tensors on any device."""

import torch

from tests.machines.cases.case import Refusal, case, placed, row, table
from tests.machines.cases.mismatch import BOTH, SAME, two


def ones(device="cuda"):
    return torch.ones(2, device=device)


@case(["cuda:0", [5.0, 5.0]])
def in_place_with_a_cpu_scalar():
    x = ones()
    x += torch.tensor(4.0)
    return placed(x)


@case(["cuda:0", [7.0, 1.0]])
def a_cpu_scalar_is_assigned():
    x = ones()
    x[0] = torch.tensor(7.0)
    return placed(x)


table(
    __name__,
    a_cpu_scalar_on_the_right=row(
        ["cuda:0", [3.0, 3.0]], lambda: placed(ones() + torch.tensor(2.0))
    ),
    a_cpu_scalar_on_the_left=row(
        ["cuda:0", [2.0, 2.0]], lambda: placed(torch.tensor(2.0) * ones())
    ),
    python_numbers=row(["cuda:0", [3.0, 3.0]], lambda: placed(1 + ones() * 2)),
    where_takes_cpu_scalars=row(
        ["cuda:0", [1.0, 0.0]],
        lambda: placed(torch.where(ones().cumsum(0) < 2, torch.tensor(1.0), torch.tensor(0.0))),
    ),
    masked_fill_with_a_cpu_scalar=row(
        ["cuda:0", [1.0, 0.0]],
        lambda: placed(ones().masked_fill(ones().cumsum(0) > 1, torch.tensor(0.0))),
    ),
    both_0_dim=row("cuda:0", lambda: (torch.tensor(1.0) + torch.tensor(1.0, device="cuda")).device),
    a_cuda_scalar_does_not_meet_a_cpu_vector=row(
        BOTH, lambda: ones("cpu") + torch.tensor(1.0, device="cuda")
    ),
    a_vector_of_one_element_is_no_scalar=row(BOTH, lambda: ones() + torch.ones(1)),
    a_scalar_of_the_other_gpu=row(
        two("cuda:0", "cuda:1"), lambda: ones() + torch.tensor(1.0, device="cuda:1"), gpus=2
    ),
    a_cpu_scalar_is_not_changed_by_a_gpu=row(
        BOTH, lambda: torch.tensor(1.0).add_(torch.tensor(1.0, device="cuda"))
    ),
    a_matrix_kernel_makes_no_exception=row(
        Refusal(SAME),
        lambda: torch.addmm(
            torch.tensor(1.0), torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda")
        ),
    ),
)
