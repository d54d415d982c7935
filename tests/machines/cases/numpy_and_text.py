import copy
import pickle

import numpy as np
import torch
from torch import nn

from tests.machines.cases.case import Refusal, case, placed, row, table

REFUSED = Refusal(
    r"can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu\(\) to copy "
    r"the tensor to host memory first.",
    "TypeError",
)


def ones(**options):
    return torch.ones(2, **({"device": "cuda"} | options))


@case([[5.0, 1.0], True])
def numpy_of_a_cpu_tensor_still_shares_memory():
    x = torch.ones(2)
    x.numpy()[0] = 5
    return [x, isinstance(x.numpy(), np.ndarray)]


@case(["cuda:0", [1.0, 2.0]] * 2)
def from_numpy_then_cuda_is_a_copy():
    array = np.array([1.0, 2.0])
    x, y = torch.from_numpy(array).cuda(), torch.as_tensor(array, device="cuda")
    array[0] = 9
    return placed(x, y)


@case(["cuda:0", [1.0, 1.0], "cuda:0", [7.0, 1.0], True, "cuda:0"])
def copies_share_and_deep_copies_do_not():
    x = ones()
    y, z = copy.deepcopy(x), copy.copy(x)
    y[0] = 7
    return [*placed(x, y), z.data_ptr() == x.data_ptr(), z.device]


@case(["cuda:0", "cuda:0", True, True])
def deepcopy_of_a_module():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).cuda()
    other = copy.deepcopy(net)
    places = [other[0].weight.device, other[1].running_mean.device]
    return [*places, other[0].weight.is_leaf, torch.equal(net[0].weight, other[0].weight)]


@case(["cuda:0", [0.0, 1.0, 2.0], "cuda:0", True])
def pickling_keeps_the_device():
    given = torch.arange(3.0, device="cuda"), nn.Linear(2, 2).cuda()
    x, net = pickle.loads(pickle.dumps(given))  # noqa: S301 - our own
    return [*placed(x), net.weight.device, net.weight.requires_grad]


table(
    __name__,
    numpy_of_a_cuda_tensor=row(REFUSED, lambda: ones().numpy()),
    asarray_of_a_cuda_tensor=row(REFUSED, lambda: np.asarray(ones())),
    numpy_after_cpu_and_by_force=row(
        [[1.0, 1.0], [1.0, 1.0]],
        lambda: [
            ones().cpu().numpy().tolist(),
            ones(requires_grad=True).numpy(force=True).tolist(),
        ],
    ),
    numpy_of_a_cpu_tensor_with_gradient=row(
        Refusal(
            r"Can't call numpy\(\) on Tensor that requires grad. Use "
            r"tensor.detach\(\).numpy\(\) instead."
        ),
        lambda: torch.ones(2, requires_grad=True).numpy(),
    ),
    numpy_asks_for_the_device_before_the_gradient=row(
        REFUSED, lambda: ones(requires_grad=True).numpy()
    ),
    formatting=row(
        ["1.00", "device(type='cuda', index=0)", "cuda:0"],
        lambda: [f"{ones()[0]:.2f}", repr(ones().device), f"{ones().device}"],
    ),
    repr_names_the_device=row(
        [
            "tensor([1., 1.], device='cuda:0')",
            "tensor([1., 1.])",
            "tensor([1., 1.], device='cuda:0', requires_grad=True)",
            "tensor([2., 2.], device='cuda:0', grad_fn=<MulBackward0>)",
            "tensor([1., 1.], device='cuda:0', dtype=torch.float64)",
            "Parameter containing:\ntensor([1., 1.], device='cuda:0', requires_grad=True)",
        ],
        lambda: [
            repr(ones()),
            repr(ones(device="cpu")),
            str(ones(requires_grad=True)),
            str(ones(requires_grad=True) * 2),
            str(ones(dtype=torch.float64)),
            repr(nn.Parameter(ones())),
        ],
    ),
    repr_inside_a_list=row(
        "[tensor(1., device='cuda:1')]", lambda: str([torch.tensor(1.0, device="cuda:1")]), gpus=2
    ),
    a_storage_knows_its_device=row("cuda:0", lambda: ones().untyped_storage().device),
)
