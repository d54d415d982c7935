"""Gradients, also across devices."""

import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.machines.cases.case import Refusal, as_on_cpu, case, devices, placed, row, table

INVALID = r"invalid gradient at index 0 - expected device cuda:0 but got cpu"
ASSIGNED = r"attempting to assign a gradient "


def leaf(device="cuda"):
    return torch.ones(2, device=device, requires_grad=True)


@as_on_cpu
def gradient_of_a_square(device):
    x = torch.arange(3.0, device=device, requires_grad=True)
    (x**2).sum().backward()
    return x.grad


@case(["cpu", [6.0, 6.0], None])
def the_gradient_of_a_moved_tensor_goes_to_the_original():
    x = torch.full((2,), 3.0, requires_grad=True)
    (x.cuda() ** 2).sum().backward()
    return [*placed(x.grad), x.grad_fn]


@case(["cpu", [2.0, 2.0], "cuda:0", [2.0, 2.0]])
def both_sides_of_a_move_keep_their_gradient():
    x = leaf("cpu")
    y = x.to("cuda")
    y.retain_grad()
    (y * y).sum().backward()
    return placed(x.grad, y.grad)


@case(["cuda:0", [2.0], "cuda:1", [2.0]], gpus=2)
def a_graph_over_two_gpus():
    x = torch.ones(1, device="cuda:0", requires_grad=True)
    y = torch.ones(1, device="cuda:1", requires_grad=True)
    (x.to("cuda:1") * y * 2).sum().backward()
    return placed(x.grad, y.grad)


@case(["cpu", 6.0, "cuda:0", [2.0, 2.0]])
def a_cpu_scalar_gets_its_gradient_on_the_cpu():
    scale = torch.tensor(2.0, requires_grad=True)
    x = torch.full((2,), 3.0, device="cuda", requires_grad=True)
    (scale * x).sum().backward()
    return placed(scale.grad, x.grad)


@case(["cpu", [3.0, 3.0]])
def a_cpu_computation_feeding_a_scalar():
    weights = leaf("cpu")
    scale = (weights * torch.tensor([1.0, 1.0])).sum()
    (scale * torch.full((1,), 3.0, device="cuda")).sum().backward()
    return placed(weights.grad)


@case(["cuda:0", "cpu"] * 2)
def tensor_hooks_see_the_device_and_create_on_the_cpu():
    seen = []
    x = leaf()
    y = x * 2
    for each in (x, y):
        each.register_hook(lambda gradient: seen.extend(devices(gradient, torch.ones(2))))
    y.sum().backward()
    return seen


@case([["cuda:0"], ["cuda:0"]])
def module_hooks_see_the_device():
    forward, backward = [], []
    net = nn.Linear(2, 1).cuda()
    net.register_forward_hook(lambda *given: forward.append(given[-1].device))
    net.register_full_backward_hook(lambda *given: backward.append(given[-1][0].device))
    net(leaf()[None]).sum().backward()
    return [forward, backward]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        Cube.seen = devices(gradient, x)
        return 3 * x**2 * gradient


@case([[12.0], ["cuda:0", "cuda:0"]])
def a_custom_function():
    x = torch.full((1,), 2.0, device="cuda", requires_grad=True)
    Cube.apply(x).sum().backward()
    return [x.grad, Cube.seen]


@as_on_cpu
def autograd_grad_and_second_order(device):
    x = torch.full((1,), 2.0, device=device, requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return [first, *torch.autograd.grad(first.sum(), x)]


@case(["cuda:0", [2.0, 2.0]])
def second_order_through_a_move():
    x = leaf("cpu")
    y = x.cuda()
    (first,) = torch.autograd.grad((y**2).sum(), y, create_graph=True)
    first.sum().backward()
    return [first.device, x.grad]


@case(Refusal(rf"{ASSIGNED}with device type 'cpu' to a tensor with device type 'cuda'"))
def assigning_a_gradient_from_the_cpu():
    leaf().grad = torch.ones(2)


@case(Refusal(rf"{ASSIGNED}located on .* index '1' to a tensor located on .* index '0'"), gpus=2)
def assigning_a_gradient_from_the_other_gpu():
    leaf("cuda:0").grad = torch.ones(2, device="cuda:1")


@as_on_cpu
def no_grad_and_detach(device):
    x = leaf(device)
    with torch.no_grad():
        y = x * 2
    return [y.requires_grad, x.detach().requires_grad, (x * 2).requires_grad]


@as_on_cpu
def checkpointing(device):
    x = leaf(device)
    checkpoint(lambda t: (t**3).sum(), x, use_reentrant=False).backward()
    return x.grad


@case(["cuda:0", [6.0, 6.0]])
def backward_with_a_gradient_argument():
    x = leaf()
    (x * 2).backward(torch.full((2,), 3.0, device="cuda"))
    return placed(x.grad)


@case(Refusal(INVALID))
def autograd_grad_with_a_gradient_of_the_cpu():
    x = leaf()
    return torch.autograd.grad(x * 2, x, grad_outputs=torch.ones(2))


@case(["cuda:0", [3.0, 3.0]])
def a_gradient_argument_without_dimensions_is_moved():
    x = leaf()
    x.sum().backward(torch.tensor(3.0))
    return placed(x.grad)


class Constant(torch.autograd.Function):
    @staticmethod
    def forward(context, x, gradient):
        context.gradient = gradient
        return x * 2

    @staticmethod
    def backward(context, _):
        return context.gradient(), None


@case("cuda:0")
def a_custom_function_that_returns_a_cpu_scalar():
    x = torch.tensor(1.0, device="cuda", requires_grad=True)
    Constant.apply(x, lambda: torch.tensor(1.0)).backward()
    return x.grad.device


@case(Refusal(r"hook '<lambda>' has changed the type of value \(was .*CUDA.* got .*CPU.*\)"))
def a_tensor_hook_that_returns_a_cpu_gradient():
    x = leaf()
    x.register_hook(lambda _: torch.zeros(2))
    (x * 2).sum().backward()


def parameter_whose_data_moved():
    x = nn.Parameter(torch.ones(2))
    x.sum().backward()
    x.data = x.data.cuda()
    return x


@case(["cuda:0", "cpu"])
def moving_the_data_leaves_the_gradient():
    x = parameter_whose_data_moved()
    return devices(x, x.grad)


@case(Refusal(r"inplace operation: \[torch.cuda.FloatTensor \[2\]\], which is output 0 of"))
def changing_in_place_what_backward_needs():
    y = leaf().exp()
    y += 1
    y.sum().backward()


@as_on_cpu
def hessian_and_forward_mode(device):
    x = torch.full((2,), 3.0, device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch compiles formulas of its own, with a warning
        return [
            torch.func.hessian(lambda x: (x**3).sum())(x),
            *torch.func.jvp(lambda x: x**2, (x,), (torch.ones_like(x),)),
        ]


table(
    __name__,
    backward_without_a_graph=row(
        Refusal(r"element 0 of tensors does not require grad"),
        lambda: torch.ones(1, device="cuda").sum().backward(),
    ),
    backward_with_a_gradient_of_the_cpu=row(
        Refusal(INVALID), lambda: (leaf() * 2).backward(torch.ones(2))
    ),
    a_custom_function_that_returns_a_cpu_gradient=row(
        Refusal(rf"Function ConstantBackward returned an {INVALID}"),
        lambda: Constant.apply(leaf(), lambda: torch.ones(2)).sum().backward(),
    ),
    a_step_with_the_gradient_left_behind=row(
        Refusal(r"must be on the same device"),
        lambda: torch.optim.SGD([parameter_whose_data_moved()], lr=0.1).step(),
    ),
)
