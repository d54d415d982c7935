import torch
import torch.nn.functional as F
from torch import nn

from tests.machines.cases.case import Refusal, case

HALF, FLOAT, BFLOAT = "torch.float16", "torch.float32", "torch.bfloat16"


def dtypes(*tensors):
    return [each.dtype for each in tensors]


# from the documentation of torch.amp: which operations run in which dtype
@case([HALF] * 5)
def autocast_multiplies_in_half_precision():
    x, image = torch.ones(2, 2, device="cuda"), torch.ones(1, 1, 3, 3, device="cuda")
    with torch.autocast("cuda"):
        return dtypes(x @ x, torch.mm(x, x), F.linear(x, x), x.matmul(x), F.conv2d(image, image))


@case([FLOAT] * 7)
def autocast_computes_sensitive_functions_in_float32():
    x, labels = torch.ones(2, 2, device="cuda").half(), torch.zeros(2, device="cuda").long()
    with torch.autocast("cuda"):
        losses = [F.cross_entropy(x, labels), F.mse_loss(x, x)]
        return dtypes(*losses, x.softmax(1), x.exp(), x.sum(), x.pow(2), F.layer_norm(x, (2,)))


@case([HALF, FLOAT, FLOAT, FLOAT])
def autocast_leaves_other_operations_and_other_devices_alone():
    x, here = torch.ones(2, 2, device="cuda"), torch.ones(2, 2)
    with torch.autocast("cuda"):
        return dtypes(F.relu(x @ x), (x @ x) + x, x + x, here @ here)


@case([BFLOAT, FLOAT, HALF, FLOAT])
def autocast_takes_a_dtype_and_can_be_switched_off():
    x = torch.ones(2, 2, device="cuda")

    @torch.autocast("cuda")
    def product():
        return x @ x

    with torch.autocast("cuda", dtype=torch.bfloat16):
        outer = x @ x
        with torch.autocast("cuda", enabled=False):
            inner = x @ x
    return dtypes(outer, inner, product(), x @ x)


@case([FLOAT, FLOAT, HALF, True, 1024.0])
def a_scaler_trains_float32_parameters():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)).cuda()
    before = net[0].bias.clone()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
    with torch.autocast("cuda"):
        y = net(torch.ones(2, 3, device="cuda"))
        loss = F.mse_loss(y, torch.full((2, 1), 2.0, device="cuda"))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    changed = not torch.equal(before, net[0].bias)
    return [*dtypes(loss, net[0].weight.grad, y), changed, scaler.get_scale()]


@case(Refusal("unsafe to autocast"))
def autocast_refuses_the_cross_entropy_of_probabilities():
    with torch.autocast("cuda"):
        F.binary_cross_entropy(torch.full((2,), 0.5, device="cuda"), torch.ones(2, device="cuda"))


@case([True, True, 6.0, True])
def a_stream_computes_what_the_default_stream_waits_for():
    x, second = torch.ones(3, device="cuda"), torch.cuda.Stream()
    second.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(second):
        is_current = torch.cuda.current_stream() == second
        y = x * 2
    torch.cuda.current_stream().wait_stream(second)
    is_default = torch.cuda.current_stream() == torch.cuda.default_stream()
    return [is_current, is_default, y.sum().item(), isinstance(second, torch.cuda.Stream)]


@case([True, True])
def events_measure_the_work_between_them():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    x = torch.ones(256, 256, device="cuda")
    start.record()
    for _ in range(3):
        x = x @ x / 256
    end.record()
    torch.cuda.synchronize()
    return [end.query(), start.elapsed_time(end) > 0]


class Seen(nn.Module):
    """Tells of each call where it ran and with how many rows."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.register_buffer("offset", torch.ones(2))
        self.calls = []

    def forward(self, X, scale=1.0):  # noqa: N803
        self.calls.append([str(X.device), len(X), str(self.layer.weight.device)])
        return scale * self.layer(X) + self.offset


@case([[["cuda:0", 3, "cuda:0"], ["cuda:1", 2, "cuda:1"]], "cuda:0", [5, 2]], gpus=2)
def data_parallel_splits_the_batch():
    net = Seen().cuda()
    y = nn.DataParallel(net)(torch.ones(5, 3))
    return [sorted(net.calls), y.device, y.shape]


@case([True, True, ["module.layer.bias", "module.layer.weight", "module.offset"]], gpus=2)
def data_parallel_gives_the_outputs_and_gradients_of_the_module():
    net = Seen().cuda()
    both, X = nn.DataParallel(net), torch.linspace(-1, 1, 15, device="cuda").reshape(5, 3)
    wanted, found = net(X, scale=2.0), both(X, scale=2.0)
    gradients = [torch.autograd.grad(y.sum(), net.layer.weight)[0] for y in (wanted, found)]
    is_same = [torch.allclose(wanted, found), torch.allclose(*gradients)]
    return [*is_same, sorted(both.state_dict())]


@case(Refusal(r"parameters and buffers on device cuda:0 .* one of them on device: cpu"), gpus=2)
def data_parallel_wants_its_module_on_the_first_device():
    nn.DataParallel(nn.Linear(3, 2))(torch.ones(4, 3))
