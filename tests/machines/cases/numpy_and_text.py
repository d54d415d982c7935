import copy
import pickle

import numpy as np
import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, row, table

REFUSED = Refusal(
    r"can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu\(\) to copy "
    r"the tensor to host memory first.",
    "TypeError",
)


@case([[5.0, 1.0], True])
def numpy_of_a_cpu_tensor_still_shares_memory():
    x = torch.ones(2)
    x.numpy()[0] = 5
    return [x.tolist(), isinstance(x.numpy(), np.ndarray)]


@case(["cuda:0", [1.0, 2.0], [1.0, 2.0]])
def from_numpy_then_cuda_is_a_copy():
    array = np.array([1.0, 2.0])
    x = torch.from_numpy(array).cuda()
    y = torch.as_tensor(array, device="cuda")
    array[0] = 9
    return [str(x.device), x.tolist(), y.tolist()]


@case(["1.50", "device(type='cuda', index=0)", "cuda:0"])
def formatting():
    x = torch.tensor(1.5, device="cuda")
    return [f"{x:.2f}", repr(x.device), f"{x.device}"]


@case(["cuda:0", [1.0, 1.0], [7.0, 1.0]])
def deepcopy_of_a_tensor():
    x = torch.ones(2, device="cuda")
    y = copy.deepcopy(x)
    y[0] = 7
    return [str(y.device), x.tolist(), y.tolist()]


@case(["cuda:0", "cuda:0", True, True])
def deepcopy_of_a_module():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).cuda()
    other = copy.deepcopy(net)
    return [
        str(other[0].weight.device),
        str(other[1].running_mean.device),
        other[0].weight.is_leaf,
        torch.equal(net[0].weight, other[0].weight),
    ]


@case([True, "cuda:0"])
def copy_shares():
    x = torch.ones(2, device="cuda")
    y = copy.copy(x)
    return [y.data_ptr() == x.data_ptr(), str(y.device)]


@case(["cuda:0", [0.0, 1.0, 2.0]])
def pickling_keeps_the_device():
    x = pickle.loads(pickle.dumps(torch.arange(3.0, device="cuda")))  # noqa: S301 - our own
    return [str(x.device), x.tolist()]


@case(["cuda:0", True])
def pickling_a_module():
    net = pickle.loads(pickle.dumps(nn.Linear(2, 2).cuda()))  # noqa: S301 - our own
    return [str(net.weight.device), net.weight.requires_grad]


table(
    __name__,
    numpy_of_a_cuda_tensor=row(REFUSED, lambda: torch.ones(2, device="cuda").numpy()),
    asarray_of_a_cuda_tensor=row(REFUSED, lambda: np.asarray(torch.ones(2, device="cuda"))),
    numpy_after_cpu=row([1.0, 1.0], lambda: torch.ones(2, device="cuda").cpu().numpy().tolist()),
    numpy_by_force=row(
        [1.0, 1.0],
        lambda: torch.ones(2, device="cuda", requires_grad=True).numpy(force=True).tolist(),
    ),
    numpy_of_a_cpu_tensor_with_gradient=row(
        Refusal(
            r"Can't call numpy\(\) on Tensor that requires grad. Use "
            r"tensor.detach\(\).numpy\(\) instead."
        ),
        lambda: torch.ones(2, requires_grad=True).numpy(),
    ),
    numpy_asks_for_the_device_before_the_gradient=row(
        Refusal(r"can't convert cuda:0 device type tensor to numpy.", "TypeError"),
        lambda: torch.ones(2, device="cuda", requires_grad=True).numpy(),
    ),
    repr_names_the_device=row(
        "tensor([1., 1.], device='cuda:0')", lambda: repr(torch.ones(2, device="cuda"))
    ),
    repr_of_a_cpu_tensor_does_not=row("tensor([1., 1.])", lambda: repr(torch.ones(2))),
    repr_with_requires_grad=row(
        "tensor([1., 1.], device='cuda:0', requires_grad=True)",
        lambda: str(torch.ones(2, device="cuda", requires_grad=True)),
    ),
    repr_with_grad_fn=row(
        "tensor([2., 2.], device='cuda:0', grad_fn=<MulBackward0>)",
        lambda: str(torch.ones(2, device="cuda", requires_grad=True) * 2),
    ),
    repr_with_dtype=row(
        "tensor([1., 1.], device='cuda:0', dtype=torch.float64)",
        lambda: str(torch.ones(2, device="cuda", dtype=torch.float64)),
    ),
    repr_inside_a_list=row(
        "[tensor(1., device='cuda:1')]", lambda: str([torch.tensor(1.0, device="cuda:1")]), gpus=2
    ),
    repr_of_a_parameter=row(
        "Parameter containing:\ntensor([1.], device='cuda:0', requires_grad=True)",
        lambda: repr(nn.Parameter(torch.ones(1, device="cuda"))),
    ),
    a_storage_knows_its_device=row(
        "cuda:0", lambda: str(torch.ones(2, device="cuda").untyped_storage().device)
    ),
)
