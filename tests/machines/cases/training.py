import torch
import torch.nn.functional as F
from torch import nn
from torch.optim import SGD, Adagrad, Adam, AdamW, RMSprop
from torch.utils.data import DataLoader, TensorDataset

from tests.machines.cases.case import Refusal, as_on_cpu, case, devices, row, row_as_on_cpu, table

X = torch.linspace(-1, 1, 12).reshape(4, 3)
Y = X.sum(1, keepdim=True)


def batches(size=2, **options):
    return DataLoader(TensorDataset(X, Y), batch_size=size, **options)


def trained(device, steps, kind, **options):
    net = nn.Linear(3, 1)
    nn.init.constant_(net.weight, 0.2)
    nn.init.zeros_(net.bias)
    net.to(device)
    optimizer = kind(net.parameters(), **options)
    x, y = X.to(device), Y.to(device)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()
    assert net.weight.device.type == torch.device(device).type
    return net, optimizer


def three_steps(kind, **options):
    return row_as_on_cpu(lambda device: [*trained(device, 3, kind, **options)[0].parameters()])


@case({"step": "cpu", "exp_avg": "cuda:0", "exp_avg_sq": "cuda:0"})
def adam_keeps_its_step_on_the_cpu():
    net, optimizer = trained("cuda", 1, Adam)
    return {name: value.device for name, value in optimizer.state[net.weight].items()}


@case("cuda:0")
def momentum_lives_with_its_parameter():
    net, optimizer = trained("cuda", 1, SGD, momentum=0.9)
    return optimizer.state[net.weight]["momentum_buffer"].device


def built_before_the_move(kind, *, is_stepped=False, **options):
    net = nn.Linear(3, 1)
    optimizer = kind(net.parameters(), **options)
    if is_stepped:
        net(X).sum().backward()
        optimizer.step()
    before = net.cuda().weight.tolist()
    optimizer.zero_grad()
    net(X.cuda()).sum().backward()
    optimizer.step()
    return [net.weight.device, net.weight.tolist() != before]


@case(["cuda:0", "cpu"])
def load_state_dict_brings_the_state_to_the_parameters():
    net, optimizer = trained("cpu", 1, Adam)
    net.cuda()
    optimizer.load_state_dict(optimizer.state_dict())
    state = optimizer.state[net.weight]
    net(X.cuda()).sum().backward()
    optimizer.step()
    return devices(state["exp_avg"], state["step"])


@as_on_cpu
def a_scheduler(device):
    net, optimizer = trained(device, 1, SGD, lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for _ in range(2):
        optimizer.step()
        schedule.step()
    return [schedule.get_last_lr(), net.weight]


@case([["cpu", "cuda:0", 2]] * 2)
def a_data_loader_gives_cpu_batches():
    return [[*devices(x, x.to("cuda")), len(x)] for x, _ in batches()]


@case([["cuda:0", 3], ["cuda:0", 1]])
def a_data_loader_over_cuda_tensors():
    loader = DataLoader(TensorDataset(X.cuda(), Y.cuda()), batch_size=3)
    return [[x.device, len(x)] for x, _ in loader]


@case([True, "cuda:0"])
def a_data_loader_that_pins():
    ((x, _),) = batches(4, pin_memory=True)
    return [x.is_pinned(), x.to("cuda", non_blocking=True).device]


@as_on_cpu
def a_training_loop_with_batches(device):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(device)
    optimizer = AdamW(net.parameters(), lr=0.05)
    history = []
    for _ in range(2):
        for x, y in batches():
            loss = F.mse_loss(net(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss)
    return history


@as_on_cpu
def gradient_accumulation_and_clipping(device):
    net = nn.Linear(3, 1)
    nn.init.ones_(net.weight)
    nn.init.zeros_(net.bias)
    net.to(device)
    for x, y in zip(X, Y, strict=True):
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
    return [nn.utils.clip_grad_norm_(net.parameters(), 0.1), net.weight.grad]


@case(Refusal(r"Expected all tensors to be on the same device"))
def forgetting_to_move_the_batch():
    net = nn.Linear(3, 1).cuda()
    for x, _ in batches():
        net(x)


@case(["cuda:1", "cuda:0", "cuda:1"], gpus=2)
def model_parallel_over_two_gpus():
    first, second = nn.Linear(2, 2).to("cuda:0"), nn.Linear(2, 1).to("cuda:1")
    out = second(first(torch.ones(1, 2, device="cuda:0")).to("cuda:1"))
    out.sum().backward()
    return devices(out, first.weight.grad, second.weight.grad)


table(
    __name__,
    sgd=three_steps(SGD, lr=0.1),
    sgd_with_momentum=three_steps(SGD, lr=0.1, momentum=0.9, nesterov=True),
    adam=three_steps(Adam, lr=0.1),
    adam_with_amsgrad=three_steps(Adam, lr=0.1, amsgrad=True),
    adamw=three_steps(AdamW, lr=0.1),
    adagrad=three_steps(Adagrad, lr=0.1),
    rmsprop=three_steps(RMSprop, lr=0.01),
    an_optimizer_built_before_the_move_still_trains=row(
        ["cuda:0", True], lambda: built_before_the_move(SGD)
    ),
    adagrad_built_before_the_move=row(
        Refusal(r"same device"), lambda: built_before_the_move(Adagrad)
    ),
    adam_stepped_before_the_move=row(
        Refusal(r"same device"), lambda: built_before_the_move(Adam, is_stepped=True)
    ),
    momentum_stepped_before_the_move=row(
        Refusal(r"same device"), lambda: built_before_the_move(SGD, is_stepped=True, momentum=0.9)
    ),
)
