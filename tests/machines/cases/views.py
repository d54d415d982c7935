import torch

from tests.machines.cases.case import Refusal, as_on_cpu, case, devices, placed


@case(["cuda:0"] * 7)
def views_live_where_their_base_lives():
    x = torch.ones(2, 3, device="cuda")
    return devices(
        *(x.t(), x.view(6), x[0], x[:, 1:], x.reshape(3, 2), x.expand(4, 2, 3), x.detach())
    )


@as_on_cpu
def writing_through_a_view(device):
    x = torch.zeros(2, 3, device=device)
    x[0].add_(1)
    x.t()[2] = 7
    return x


@case([True, True, False])
def views_share_memory_and_clones_do_not():
    x = torch.ones(4, device="cuda")
    return [y.data_ptr() == x.data_ptr() for y in (x.view(2, 2), x.detach(), x.clone())]


@case(["cuda:0"] * 6)
def results_stay():
    x = torch.ones(4, device="cuda")
    return devices(x**2, x.sum(), x > 0, *x.topk(2), x.split(2)[1])


@case(["cuda:0", [1.0, 1.0], "cpu", [1.0, 1.0]])
def copy_crosses_devices():
    x, y = torch.zeros(2, device="cuda"), torch.zeros(2)
    x.copy_(torch.ones(2))
    y.copy_(x)
    return placed(x, y)


@case(["cpu", "cuda:0"])
def data_can_be_swapped_for_a_tensor_elsewhere():
    x = torch.ones(2)
    before = x.device
    x.data = torch.ones(2, device="cuda")
    return [before, x.device]


@as_on_cpu
def augmented_assignment(device):
    x = torch.ones(3, device=device)
    x += 1
    x *= torch.full((3,), 3.0, device=device)
    x -= 0.5
    return x


@case(Refusal(r"a leaf Variable that requires grad is being used in an in-place"))
def a_leaf_cannot_be_changed_in_place():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x += 1


@as_on_cpu
def slices_are_assigned(device):
    x = torch.zeros(3, 3, device=device)
    x[1] = torch.arange(3.0, device=device)
    x[:, 0] = 5
    x[2, 2] = torch.tensor(8.0)
    return x


@case(["cuda:0", [5.0, 5.0, 0.0]])
def a_slice_takes_a_tensor_from_the_cpu():
    x = torch.zeros(3, device="cuda")
    x[:2] = torch.full((2,), 5.0)
    return placed(x)


@case(["cuda:0", [2.0, 2.0], True, "cuda:0", [5.0, 5.0], True])
def operations_in_place_and_out_arguments_return_their_tensor():
    x, out = torch.ones(2, device="cuda"), torch.empty(2, device="cuda")
    y, z = x.add_(1), torch.add(x, 3, out=out)
    return [*placed(y), y is x, *placed(z), z is out]


@as_on_cpu
def item_and_tolist(device):
    x = torch.arange(3.0, device=device)
    return [x[1].item(), float(x[2]), int(x.sum()), bool(x[0] == 0), x.tolist()]
