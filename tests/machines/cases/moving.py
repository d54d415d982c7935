import torch
from torch import nn

from tests.machines.cases.case import Refusal, as_on_cpu, case, row, row_as_on_cpu, table

ORDINAL = Refusal(r"CUDA error: invalid device ordinal", "AcceleratorError")


@case(["cuda:0", "cpu"])
def to_returns_a_copy_and_the_original_stays():
    x = torch.ones(2)
    y = x.to("cuda")
    return [str(y.device), str(x.device)]


@case([[9.0, 1.0], [1.0, 1.0]])
def a_copy_shares_nothing():
    x = torch.ones(2)
    y = x.cuda()
    x[0] = 9
    return [x.tolist(), y.tolist()]


@case([True, True, True, True])
def already_there_is_the_same_object():
    x = torch.ones(2, device="cuda")
    return [x.to("cuda") is x, x.cuda() is x, x.to("cuda:0") is x, x.to(x) is x]


@case([True, True])
def already_on_the_cpu_is_the_same_object():
    x = torch.ones(2)
    return [x.cpu() is x, x.to("cpu") is x]


@case([False, True, False])
def copy_true_copies_even_when_already_there():
    x = torch.ones(2, device="cuda")
    y = x.to("cuda", copy=True)
    return [y is x, y.device == x.device, y.data_ptr() == x.data_ptr()]


@case(False)
def another_dtype_is_a_new_tensor():
    x = torch.ones(2, device="cuda")
    return x.to("cuda", torch.float64) is x


@case(["cuda:0", "torch.float64", "torch.float64"])
def device_and_dtype_together():
    y = torch.ones(2).to("cuda", torch.float64)
    z = torch.ones(2).to(device="cuda", dtype=torch.float64)
    return [str(z.device), str(y.dtype), str(z.dtype)]


@case(["cuda:0", "torch.float64"])
def to_another_tensor_takes_over_device_and_dtype():
    y = torch.ones(2).to(torch.ones(1, dtype=torch.float64, device="cuda"))
    return [str(y.device), str(y.dtype)]


@case(["cuda:0", "torch.int64"])
def type_as_takes_over_device_and_dtype():
    y = torch.ones(2).type_as(torch.arange(2, device="cuda"))
    return [str(y.device), str(y.dtype)]


@case(["cuda:0", "torch.float16"])
def a_dtype_alone_keeps_the_device():
    y = torch.ones(2, device="cuda").half()
    return [str(y.device), str(y.dtype)]


@case(["cuda:0", "torch.float64", "cpu"])
def type_converts_by_name():
    x = torch.ones(2)
    y = x.type("torch.cuda.DoubleTensor")
    return [str(y.device), str(y.dtype), str(y.type(torch.FloatTensor).device)]


@case(["cuda:1", "cuda:0", [1.0, 1.0]], gpus=2)
def between_two_gpus():
    x = torch.ones(2, device="cuda:0")
    y = x.to("cuda:1")
    return [str(y.device), str(x.device), y.tolist()]


@case([[0.0, 1.0, 2.0], "cpu"])
def back_to_the_cpu():
    y = torch.arange(3.0, device="cuda").cpu()
    return [y.tolist(), str(y.device)]


@case([False, False, "ToCopyBackward0"])
def a_moved_tensor_is_not_a_leaf():
    x = torch.ones(2, requires_grad=True)
    y = x.to("cuda")
    return [y.is_leaf, y is x, type(y.grad_fn).__name__]


@case([["cuda:0", "cuda:0"], True, True])
def a_module_moves_in_place():
    net = nn.Linear(2, 3)
    weight = net.weight
    moved = net.to("cuda")
    return [[str(p.device) for p in net.parameters()], moved is net, net.weight is weight]


@case(["cuda:0"] * 4)
def every_way_to_move_a_module():
    nets = [
        nn.Linear(1, 1).cuda(),
        nn.Linear(1, 1).to(0),
        nn.Linear(1, 1).to(device="cuda"),
        nn.Linear(1, 1).cuda(0),
    ]
    return [str(net.weight.device) for net in nets]


@case(["cuda:0", "cuda:0", "torch.int64"])
def buffers_move_too():
    net = nn.BatchNorm1d(2).cuda()
    return [
        str(net.running_mean.device),
        str(net.num_batches_tracked.device),
        str(net.num_batches_tracked.dtype),
    ]


@case(["cuda:0", "cpu"])
def a_plain_tensor_attribute_stays_behind():
    net = nn.Linear(2, 2)
    net.constant = torch.ones(2)
    net.cuda()
    return [str(net.weight.device), str(net.constant.device)]


@case([True, "cuda:0"])
def a_tied_parameter_stays_tied():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    net = nn.Sequential(first, second).cuda()
    return [net[0].weight is net[1].weight, str(net[1].weight.device)]


@case(["cuda:0", "cuda:0"])
def gradients_move_with_their_module():
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    net.cuda()
    return [str(net.weight.grad.device), str(net.weight.device)]


@case(["cuda:1", "cuda:1"], gpus=2)
def a_module_between_two_gpus():
    net = nn.Linear(2, 2).to("cuda:0").to("cuda:1")
    return [str(net.weight.device), str(net.bias.device)]


@case([False, True, "cuda:0"])
def pinned_memory():
    x = torch.ones(2)
    pinned = x.pin_memory()
    return [x.is_pinned(), pinned.is_pinned(), str(pinned.to("cuda", non_blocking=True).device)]


@as_on_cpu
def channels_last_survives_a_move(device):
    x = torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last).to(device)
    return [list(x.stride()), x.flatten().tolist()]


@case([["cuda:0", "torch.float64"], "cuda:0", "cpu"])
def a_module_takes_over_device_and_dtype_of_a_tensor():
    like = torch.ones(1, dtype=torch.float64, device="cuda")
    weight = nn.Linear(2, 2).to(like).weight
    named = nn.Linear(2, 2).to(tensor=like).weight
    back = nn.Linear(2, 2).cuda().to(torch.ones(1)).weight
    return [[str(weight.device), str(weight.dtype)], str(named.device), str(back.device)]


@case(["cpu", True])
def a_module_moved_to_the_cpu_keeps_its_gradient_object():
    net = nn.Linear(2, 1).cuda()
    net(torch.ones(1, 2, device="cuda")).sum().backward()
    gradient = net.weight.grad
    net.cpu()
    return [str(net.weight.grad.device), net.weight.grad is gradient]


@case([True, False])
def legacy_cuda_types_tell_the_device():
    x, y = torch.ones(2, device="cuda"), torch.ones(2)
    return [isinstance(x, torch.cuda.FloatTensor), isinstance(y, torch.cuda.FloatTensor)]


table(
    __name__,
    cuda_without_argument=row("cuda:0", lambda: str(torch.ones(2).cuda().device)),
    cuda_with_an_index=row("cuda:1", lambda: str(torch.ones(2).cuda(1).device), gpus=2),
    cuda_of_none_is_the_current_device=row("cuda:0", lambda: str(torch.ones(2).cuda(None).device)),
    to_a_number=row("cuda:0", lambda: str(torch.ones(2).to(0).device)),
    cuda_of_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2).cuda(63)),
    to_a_missing_gpu=row(ORDINAL, lambda: torch.ones(2).to("cuda:63")),
    cuda_of_the_cpu=row(
        Refusal(r"Invalid device, must be cuda device"), lambda: torch.ones(2).cuda("cpu")
    ),
    non_blocking_gives_the_same_result=row(
        "cuda:0", lambda: str(torch.ones(2).to("cuda", non_blocking=True).device)
    ),
    a_module_takes_device_and_dtype=row(
        "torch.float64", lambda: str(nn.Linear(2, 2).to("cuda", torch.float64).weight.dtype)
    ),
    a_module_to_a_missing_gpu=row(ORDINAL, lambda: nn.Linear(2, 2).to("cuda:63")),
    pinning_a_cuda_tensor=row(
        Refusal(r"cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"),
        lambda: torch.ones(2, device="cuda").pin_memory(),
    ),
    values_survive_a_round_trip=row_as_on_cpu(
        lambda device: torch.arange(6.0).reshape(2, 3).t().to(device).contiguous().cpu().tolist()
    ),
)
