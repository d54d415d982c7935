"""Gradients, also across devices."""

import warnings

import torch
from torch import nn

from tests.machines.cases.case import Refusal, as_on_cpu, case


@as_on_cpu
def gradient_of_a_square(device):
    x = torch.arange(3.0, device=device, requires_grad=True)
    (x**2).sum().backward()
    return x.grad.tolist()


@case("cuda:0")
def a_gradient_lives_with_its_tensor():
    x = torch.ones(2, device="cuda", requires_grad=True)
    (x * 3).sum().backward()
    return str(x.grad.device)


@case([[6.0, 6.0], "cpu", None])
def the_gradient_of_a_moved_tensor_goes_to_the_original():
    x = torch.full((2,), 3.0, requires_grad=True)
    (x.cuda() ** 2).sum().backward()
    return [x.grad.tolist(), str(x.grad.device), x.grad_fn]


@case(["cpu", "cuda:0", [2.0, 2.0], [2.0, 2.0]])
def both_sides_of_a_move_keep_their_gradient():
    x = torch.ones(2, requires_grad=True)
    y = x.to("cuda")
    y.retain_grad()
    (y * y).sum().backward()
    return [str(x.grad.device), str(y.grad.device), x.grad.tolist(), y.grad.tolist()]


@case(["cuda:0", "cuda:1", 2.0], gpus=2)
def a_graph_over_two_gpus():
    x = torch.ones(1, device="cuda:0", requires_grad=True)
    y = torch.ones(1, device="cuda:1", requires_grad=True)
    (x.to("cuda:1") * y * 2).sum().backward()
    return [str(x.grad.device), str(y.grad.device), x.grad.item()]


@case(["cpu", 6.0, "cuda:0"])
def a_cpu_scalar_gets_its_gradient_on_the_cpu():
    scale = torch.tensor(2.0, requires_grad=True)
    x = torch.full((2,), 3.0, device="cuda", requires_grad=True)
    (scale * x).sum().backward()
    return [str(scale.grad.device), scale.grad.item(), str(x.grad.device)]


@case([[3.0, 3.0], "cpu"])
def a_cpu_computation_feeding_a_scalar():
    weights = torch.ones(2, requires_grad=True)
    scale = (weights * torch.tensor([1.0, 1.0])).sum()
    (scale * torch.full((1,), 3.0, device="cuda")).sum().backward()
    return [weights.grad.tolist(), str(weights.grad.device)]


@case(["cuda:0", "cuda:0"])
def tensor_hooks_see_the_device():
    seen = []
    x = torch.ones(2, device="cuda", requires_grad=True)
    y = x * 2
    x.register_hook(lambda gradient: seen.append(str(gradient.device)))
    y.register_hook(lambda gradient: seen.append(str(gradient.device)))
    y.sum().backward()
    return seen


@case([["cuda:0"], ["cuda:0"]])
def module_hooks_see_the_device():
    forward, backward = [], []
    net = nn.Linear(2, 1).cuda()
    net.register_forward_hook(lambda *given: forward.append(str(given[-1].device)))
    net.register_full_backward_hook(lambda *given: backward.append(str(given[-1][0].device)))
    net(torch.ones(1, 2, device="cuda", requires_grad=True)).sum().backward()
    return [forward, backward]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        Cube.seen = [str(gradient.device), str(x.device)]
        return 3 * x**2 * gradient


@case([[12.0], ["cuda:0", "cuda:0"]])
def a_custom_function():
    x = torch.full((1,), 2.0, device="cuda", requires_grad=True)
    Cube.apply(x).sum().backward()
    return [x.grad.tolist(), Cube.seen]


@as_on_cpu
def autograd_grad_and_second_order(device):
    x = torch.full((1,), 2.0, device=device, requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return [first.item(), second.item()]


@case(["cuda:0", [2.0, 2.0]])
def second_order_through_a_move():
    x = torch.ones(2, requires_grad=True)
    y = x.cuda()
    (first,) = torch.autograd.grad((y**2).sum(), y, create_graph=True)
    first.sum().backward()
    return [str(first.device), x.grad.tolist()]


@case(
    Refusal(
        r"attempting to assign a gradient with device type 'cpu' to a tensor with device "
        r"type 'cuda'"
    )
)
def assigning_a_gradient_from_the_cpu():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.grad = torch.ones(2)


@case(
    Refusal(
        r"attempting to assign a gradient located on device with index '1' to a tensor "
        r"located on device with index '0'"
    ),
    gpus=2,
)
def assigning_a_gradient_from_the_other_gpu():
    x = torch.ones(2, device="cuda:0", requires_grad=True)
    x.grad = torch.ones(2, device="cuda:1")


@as_on_cpu
def gradients_accumulate(device):
    x = torch.ones(2, device=device, requires_grad=True)
    for _ in range(3):
        (x * 2).sum().backward()
    return x.grad.tolist()


@as_on_cpu
def no_grad_and_detach(device):
    x = torch.ones(2, device=device, requires_grad=True)
    with torch.no_grad():
        y = x * 2
    return [y.requires_grad, x.detach().requires_grad, (x * 2).requires_grad]


@as_on_cpu
def clipping(device):
    x = torch.full((2,), 3.0, device=device, requires_grad=True)
    (x**2).sum().backward()
    norm = nn.utils.clip_grad_norm_([x], 1.0)
    return [norm.item(), x.grad.tolist()]


@as_on_cpu
def checkpointing(device):
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(2, device=device, requires_grad=True)
    checkpoint(lambda t: (t**3).sum(), x, use_reentrant=False).backward()
    return x.grad.tolist()


@case(Refusal(r"element 0 of tensors does not require grad"))
def backward_without_a_graph():
    torch.ones(1, device="cuda").sum().backward()


@case(["cuda:0", "cuda:0", [6.0, 6.0]])
def backward_with_a_gradient_argument():
    x = torch.ones(2, device="cuda", requires_grad=True)
    y = x * 2
    y.backward(torch.full((2,), 3.0, device="cuda"))
    return [str(y.device), str(x.grad.device), x.grad.tolist()]


INVALID = r"invalid gradient at index 0 - expected device cuda:0 but got cpu"


@case(Refusal(INVALID))
def backward_with_a_gradient_of_the_cpu():
    x = torch.ones(2, device="cuda", requires_grad=True)
    (x * 2).backward(torch.ones(2))


@case(Refusal(INVALID))
def autograd_grad_with_a_gradient_of_the_cpu():
    x = torch.ones(2, device="cuda", requires_grad=True)
    return torch.autograd.grad(x * 2, x, grad_outputs=torch.ones(2))


@case(["cuda:0", [3.0, 3.0]])
def a_gradient_argument_without_dimensions_is_moved():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.sum().backward(torch.tensor(3.0))
    return [str(x.grad.device), x.grad.tolist()]


class Constant(torch.autograd.Function):
    @staticmethod
    def forward(context, x, gradient):
        context.gradient = gradient
        return x * 2

    @staticmethod
    def backward(context, _):
        return context.gradient(), None


@case(Refusal(rf"Function ConstantBackward returned an {INVALID}"))
def a_custom_function_that_returns_a_cpu_gradient():
    x = torch.ones(2, device="cuda", requires_grad=True)
    Constant.apply(x, lambda: torch.ones(2)).sum().backward()


@case("cuda:0")
def a_custom_function_that_returns_a_cpu_scalar():
    x = torch.tensor(1.0, device="cuda", requires_grad=True)
    Constant.apply(x, lambda: torch.tensor(1.0)).backward()
    return str(x.grad.device)


@case("cpu")
def a_factory_in_a_custom_backward_stays_on_the_cpu():
    seen = []
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.register_hook(lambda _: seen.append(str(torch.ones(2).device)))
    (x * 2).sum().backward()
    return seen[0]


@case(Refusal(r"hook '<lambda>' has changed the type of value \(was .*CUDA.* got .*CPU.*\)"))
def a_tensor_hook_that_returns_a_cpu_gradient():
    x = torch.ones(2, device="cuda", requires_grad=True)
    x.register_hook(lambda _: torch.zeros(2))
    (x * 2).sum().backward()


@case(["cuda:0", "cpu"])
def moving_the_data_leaves_the_gradient():
    x = nn.Parameter(torch.ones(2))
    x.sum().backward()
    x.data = x.data.cuda()
    return [str(x.device), str(x.grad.device)]


@case(Refusal(r"must be on the same device"))
def a_step_with_the_gradient_left_behind():
    x = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([x], lr=0.1)
    x.sum().backward()
    x.data = x.data.cuda()
    optimizer.step()


@case(
    Refusal(
        r"modified by an inplace operation: \[torch.cuda.FloatTensor \[2\]\], "
        r"which is output 0 of"
    )
)
def changing_in_place_what_backward_needs():
    x = torch.ones(2, device="cuda", requires_grad=True)
    y = x.exp()
    y += 1
    y.sum().backward()


@as_on_cpu
def hessian(device):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch compiles formulas of its own, with a warning
        return torch.func.hessian(lambda x: (x**3).sum())(torch.ones(2, device=device)).tolist()


@as_on_cpu
def forward_mode(device):
    x = torch.full((2,), 3.0, device=device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, tangent = torch.func.jvp(lambda x: x**2, (x,), (torch.ones_like(x),))
    return [value.tolist(), tangent.tolist()]
