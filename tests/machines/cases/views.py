import torch

from tests.machines.cases.case import Refusal, as_on_cpu, case


@case(["cuda:0"] * 7)
def views_live_where_their_base_lives():
    x = torch.ones(2, 3, device="cuda")
    views = [x.t(), x.view(6), x[0], x[:, 1:], x.reshape(3, 2), x.expand(4, 2, 3), x.detach()]
    return [str(view.device) for view in views]


@as_on_cpu
def writing_through_a_view(device):
    x = torch.zeros(2, 3, device=device)
    x[0].add_(1)
    x.t()[2] = 7
    return x.tolist()


@case([True, True, False])
def views_share_memory_and_clones_do_not():
    x = torch.ones(4, device="cuda")
    return [
        x.view(2, 2).data_ptr() == x.data_ptr(),
        x.detach().data_ptr() == x.data_ptr(),
        x.clone().data_ptr() == x.data_ptr(),
    ]


@case(["cuda:0", "cuda:0", "cuda:0"])
def results_stay():
    x = torch.ones(2, device="cuda")
    return [str((x**2).device), str(x.sum().device), str((x > 0).device)]


@case(["cuda:0", True])
def an_in_place_operation_returns_its_tensor():
    x = torch.ones(2, device="cuda")
    y = x.add_(1)
    return [str(y.device), y is x]


@case(["cuda:0", [1.0, 1.0]])
def copy_crosses_devices():
    x = torch.zeros(2, device="cuda")
    x.copy_(torch.ones(2))
    return [str(x.device), x.tolist()]


@case(["cpu", [1.0, 1.0]])
def copy_back_to_the_cpu():
    x = torch.zeros(2)
    x.copy_(torch.ones(2, device="cuda"))
    return [str(x.device), x.tolist()]


@case(["cuda:1", [1.0, 1.0]], gpus=2)
def copy_between_gpus():
    x = torch.zeros(2, device="cuda:1").copy_(torch.ones(2, device="cuda:0"))
    return [str(x.device), x.tolist()]


@case(["cpu", "cuda:0"])
def data_can_be_swapped_for_a_tensor_elsewhere():
    x = torch.ones(2)
    before = str(x.device)
    x.data = torch.ones(2, device="cuda")
    return [before, str(x.device)]


@as_on_cpu
def augmented_assignment(device):
    x = torch.ones(3, device=device)
    x += 1
    x *= torch.full((3,), 3.0, device=device)
    x -= 0.5
    return x.tolist()


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
    return x.tolist()


@case([[5.0, 5.0], "cuda:0"])
def a_slice_takes_a_tensor_from_the_cpu():
    x = torch.zeros(3, device="cuda")
    x[:2] = torch.full((2,), 5.0)
    return [x[:2].tolist(), str(x.device)]


@case(["cuda:0", "cuda:0", 12])
def out_arguments_are_filled():
    x, out = torch.ones(3, device="cuda"), torch.empty(3, device="cuda")
    result = torch.add(x, 3, out=out)
    return [str(result.device), str(out.device), int(out.sum())]


@case(["cuda:0", "cuda:0", "cuda:0"])
def tuples_of_results_stay():
    x = torch.arange(6.0, device="cuda")
    values, indices = x.topk(2)
    return [str(values.device), str(indices.device), str(x.split(2)[1].device)]


@as_on_cpu
def item_and_tolist(device):
    x = torch.arange(3.0, device=device)
    return [x[1].item(), float(x[2]), int(x.sum()), bool(x[0] == 0), x.tolist()]
