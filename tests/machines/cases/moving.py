import torch
from torch import nn

from tests.machines.cases.case import (
    ORDINAL,
    Refusal,
    as_on_cpu,
    case,
    devices,
    placed,
    row,
    table,
    typed,
)


@case(["cuda:0"] * 5 + ["cpu"])
def every_way_to_move_a_tensor_gives_a_copy():
    x = torch.ones(2)
    moved = [x.to("cuda"), x.cuda(), x.cuda(None), x.to(0), x.to("cuda", non_blocking=True)]
    return devices(*moved, x)


@case([[9.0, 1.0], [1.0, 1.0]])
def a_copy_shares_nothing():
    x = torch.ones(2)
    y = x.cuda()
    x[0] = 9
    return [x, y]


@case([True] * 6)
def already_there_is_the_same_object():
    x, y = torch.ones(2, device="cuda"), torch.ones(2)
    is_x = [moved is x for moved in (x.to("cuda"), x.cuda(), x.to("cuda:0"), x.to(x))]
    return [*is_x, y.cpu() is y, y.to("cpu") is y]


@case([False, True, False])
def copy_true_copies_even_when_already_there():
    x = torch.ones(2, device="cuda")
    y = x.to("cuda", copy=True)
    return [y is x, y.device == x.device, y.data_ptr() == x.data_ptr()]


@case(["cuda:0", "torch.float64"] * 4 + ["cuda:0", "torch.int64", "cuda:0", "torch.float16"])
def device_and_dtype_change_together_or_alone():
    x, like = torch.ones(2), torch.ones(1, dtype=torch.float64, device="cuda")
    doubles = [x.to("cuda", torch.float64), x.to(device="cuda", dtype=torch.float64), x.to(like)]
    doubles.append(x.cuda().to("cuda", torch.float64))
    return typed(*doubles, x.type_as(torch.arange(2, device="cuda")), x.cuda().half())


@case(["cuda:0", "torch.float64", "cpu"])
def type_converts_by_name():
    y = torch.ones(2).type("torch.cuda.DoubleTensor")
    return [*typed(y), y.type(torch.FloatTensor).device]


@case(["cuda:1", *["cuda:1", [1.0, 1.0]] * 2, "cuda:0"], gpus=2)
def between_two_gpus():
    x = torch.ones(2, device="cuda:0")
    made = [x.to("cuda:1"), torch.zeros(2, device="cuda:1").copy_(x)]
    return [torch.ones(2).cuda(1).device, *placed(*made), x.device]


@case([False, False, "ToCopyBackward0"])
def a_moved_tensor_is_not_a_leaf():
    x = torch.ones(2, requires_grad=True)
    y = x.to("cuda")
    return [y.is_leaf, y is x, type(y.grad_fn).__name__]


@case(["cuda:0", "cuda:0", True, True])
def a_module_moves_in_place():
    net = nn.Linear(2, 3)
    weight = net.weight
    moved = net.to("cuda")
    return [*devices(*net.parameters()), moved is net, net.weight is weight]


@case(["cuda:0"] * 4)
def every_way_to_move_a_module():
    def net():
        return nn.Linear(1, 1)

    moved = [net().cuda(), net().to(0), net().to(device="cuda"), net().cuda(0)]
    return [each.weight.device for each in moved]


@case(["cuda:0", "torch.float32", "cuda:0", "torch.int64"])
def buffers_move_too():
    net = nn.BatchNorm1d(2).cuda()
    return typed(net.running_mean, net.num_batches_tracked)


@case(["cuda:0", "cpu"])
def a_plain_tensor_attribute_stays_behind():
    net = nn.Linear(2, 2)
    net.constant = torch.ones(2)
    net.cuda()
    return devices(net.weight, net.constant)


@case([True, "cuda:0"])
def a_tied_parameter_stays_tied():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    net = nn.Sequential(first, second).cuda()
    return [net[0].weight is net[1].weight, net[1].weight.device]


@case(["cuda:0", "cuda:0"])
def gradients_move_with_their_module():
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    net.cuda()
    return devices(net.weight.grad, net.weight)


@case([False, True, "cuda:0"])
def pinned_memory():
    x = torch.ones(2)
    pinned = x.pin_memory()
    return [x.is_pinned(), pinned.is_pinned(), pinned.to("cuda", non_blocking=True).device]


@as_on_cpu
def strides_and_values_survive_a_move(device):
    x = torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last).to(device)
    return [x.stride(), x, torch.arange(6.0).reshape(2, 3).t().to(device).contiguous().cpu()]


@case([*["cuda:0", "torch.float64"] * 3, "cpu", "torch.float32"])
def a_module_takes_device_and_dtype_also_of_a_tensor():
    like = torch.ones(1, dtype=torch.float64, device="cuda")
    nets = [nn.Linear(2, 2).to(like), nn.Linear(2, 2).to(tensor=like)]
    nets += [nn.Linear(2, 2).to("cuda", torch.float64), nn.Linear(2, 2).cuda().to(torch.ones(1))]
    return typed(*(net.weight for net in nets))


@case(["cpu", True])
def a_module_moved_to_the_cpu_keeps_its_gradient_object():
    net = nn.Linear(2, 1).cuda()
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    gradient = net.weight.grad
    net.cpu()
    return [net.weight.grad.device, net.weight.grad is gradient]


table(
    __name__,
    cuda_of_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2).cuda(63)),
    to_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2).to("cuda:63")),
    cuda_of_the_cpu=row(
        Refusal(r"Invalid device, must be cuda device"), lambda: torch.ones(2).cuda("cpu")
    ),
    a_module_between_two_gpus=row(
        ["cuda:1", "cuda:1"],
        lambda: devices(*nn.Linear(2, 2).to("cuda:0").to("cuda:1").parameters()),
        gpus=2,
    ),
    a_module_to_a_missing_gpu=row(ORDINAL, lambda: nn.Linear(2, 2).to("cuda:63")),
    pinning_a_cuda_tensor=row(
        Refusal(r"cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"),
        lambda: torch.ones(2, device="cuda").pin_memory(),
    ),
    pinning_integers_on_the_gpu=row(
        Refusal(r"cannot pin 'torch.cuda.LongTensor' only dense CPU tensors can be pinned"),
        lambda: torch.arange(2, device="cuda").pin_memory(),
    ),
    legacy_cuda_types_tell_the_device=row(
        [True, False],
        lambda: [isinstance(torch.ones(2).to(d), torch.cuda.FloatTensor) for d in ("cuda", "cpu")],
    ),
)
