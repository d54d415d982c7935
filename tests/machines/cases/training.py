import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.machines.cases.case import Refusal, as_on_cpu, case, row, row_as_on_cpu, table

X = torch.linspace(-1, 1, 12).reshape(4, 3)
Y = X.sum(1, keepdim=True)


def trained(make, device, steps=3):
    net = nn.Linear(3, 1)
    nn.init.constant_(net.weight, 0.2)
    nn.init.zeros_(net.bias)
    net.to(device)
    optimizer = make(net.parameters())
    x, y = X.to(device), Y.to(device)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()
    assert net.weight.device.type == torch.device(device).type
    return net, optimizer


def values(net):
    return [p.detach().flatten().tolist() for p in net.parameters()]


@case({"step": "cpu", "exp_avg": "cuda:0", "exp_avg_sq": "cuda:0"})
def adam_keeps_its_step_on_the_cpu():
    net, optimizer = trained(lambda p: torch.optim.Adam(p, lr=0.1), "cuda", 1)
    return {name: str(value.device) for name, value in optimizer.state[net.weight].items()}


@case("cuda:0")
def momentum_lives_with_its_parameter():
    net, optimizer = trained(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), "cuda", 1)
    return str(optimizer.state[net.weight]["momentum_buffer"].device)


@case(["cuda:0", True])
def an_optimizer_built_before_the_move_still_trains():
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.cuda()
    before = net.weight.tolist()
    net(X.cuda()).sum().backward()
    optimizer.step()
    return [str(net.weight.device), net.weight.tolist() != before]


def stepped_then_moved(make):
    net = nn.Linear(3, 1)
    optimizer = make(net.parameters())
    net(X).sum().backward()
    optimizer.step()
    net.cuda()
    optimizer.zero_grad()
    net(X.cuda()).sum().backward()
    optimizer.step()


@case(Refusal(r"same device"))
def adagrad_built_before_the_move():
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.1)
    net.cuda()
    net(X.cuda()).sum().backward()
    optimizer.step()


@case(["cuda:0", "cpu"])
def load_state_dict_brings_the_state_to_the_parameters():
    net, optimizer = trained(lambda p: torch.optim.Adam(p, lr=0.1), "cpu", 1)
    net.cuda()
    optimizer.load_state_dict(optimizer.state_dict())
    state = optimizer.state[net.weight]
    net(X.cuda()).sum().backward()
    optimizer.step()
    return [str(state["exp_avg"].device), str(state["step"].device)]


@as_on_cpu
def a_scheduler(device):
    net, optimizer = trained(lambda p: torch.optim.SGD(p, lr=0.1), device, 1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for _ in range(2):
        optimizer.step()
        schedule.step()
    return schedule.get_last_lr()


@case([["cpu", "cuda:0"], [2, 2]])
def a_data_loader_gives_cpu_batches():
    devices, sizes = set(), []
    for x, _ in DataLoader(TensorDataset(X, Y), batch_size=2):
        devices |= {str(x.device), str(x.to("cuda").device)}
        sizes.append(len(x))
    return [sorted(devices), sizes]


@case([["cuda:0"], 4])
def a_data_loader_over_cuda_tensors():
    loader = DataLoader(TensorDataset(X.cuda(), Y.cuda()), batch_size=3)
    batches = [x for x, _ in loader]
    return [sorted({str(x.device) for x in batches}), sum(map(len, batches))]


@case([True, "cuda:0"])
def a_data_loader_that_pins():
    (x, _), *_ = DataLoader(TensorDataset(X, Y), batch_size=4, pin_memory=True)
    return [x.is_pinned(), str(x.to("cuda", non_blocking=True).device)]


@as_on_cpu
def a_training_loop_with_batches(device):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05)
    history = []
    for _ in range(2):
        for x, y in DataLoader(TensorDataset(X, Y), batch_size=2):
            loss = F.mse_loss(net(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history.append(loss.item())
    return history


@as_on_cpu
def gradient_accumulation_and_clipping(device):
    net = nn.Linear(3, 1)
    nn.init.ones_(net.weight)
    nn.init.zeros_(net.bias)
    net.to(device)
    for x, y in zip(X, Y, strict=True):
        F.mse_loss(net(x.to(device)), y.to(device)).backward()
    total = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    return [total.item(), net.weight.grad.flatten().tolist()]


@case(Refusal(r"Expected all tensors to be on the same device"))
def forgetting_to_move_the_batch():
    net = nn.Linear(3, 1).cuda()
    for x, _ in DataLoader(TensorDataset(X, Y), batch_size=2):
        net(x)


@case([[0.5, 0.5], "cuda:0"])
def model_parallel_is_left_to_the_program():
    first = nn.Linear(1, 1, bias=False).cuda()
    nn.init.constant_(first.weight, 0.5)
    out = first(torch.ones(2, 1, device="cuda")).flatten()
    return [out.tolist(), str(out.device)]


@case(["cuda:1", "cuda:0", "cuda:1"], gpus=2)
def model_parallel_over_two_gpus():
    first, second = nn.Linear(2, 2).to("cuda:0"), nn.Linear(2, 1).to("cuda:1")
    out = second(first(torch.ones(1, 2, device="cuda:0")).to("cuda:1"))
    out.sum().backward()
    return [str(out.device), str(first.weight.grad.device), str(second.weight.grad.device)]


table(
    __name__,
    sgd=row_as_on_cpu(
        lambda device: values(trained(lambda p: torch.optim.SGD(p, lr=0.1), device)[0])
    ),
    sgd_with_momentum=row_as_on_cpu(
        lambda device: values(
            trained(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), device)[0]
        )
    ),
    adam=row_as_on_cpu(
        lambda device: values(trained(lambda p: torch.optim.Adam(p, lr=0.1), device)[0])
    ),
    adam_with_amsgrad=row_as_on_cpu(
        lambda device: values(
            trained(lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True), device)[0]
        )
    ),
    adamw=row_as_on_cpu(
        lambda device: values(trained(lambda p: torch.optim.AdamW(p, lr=0.1), device)[0])
    ),
    adagrad=row_as_on_cpu(
        lambda device: values(trained(lambda p: torch.optim.Adagrad(p, lr=0.1), device)[0])
    ),
    rmsprop=row_as_on_cpu(
        lambda device: values(trained(lambda p: torch.optim.RMSprop(p, lr=0.01), device)[0])
    ),
    adam_stepped_before_the_move=row(
        Refusal(r"same device"), lambda: stepped_then_moved(lambda p: torch.optim.Adam(p, lr=0.1))
    ),
    momentum_stepped_before_the_move=row(
        Refusal(r"same device"),
        lambda: stepped_then_moved(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    ),
)
