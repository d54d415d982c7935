"""The program of one action on a network tied in one way."""

from playground.lessons.tied_parameters.records import Action, TiedBy, TieReplay

TWO_LAYERS = "    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))"
MAKING = {
    TiedBy.MODULE: (
        "    shared = nn.Linear(4, 4)",
        "    return nn.Sequential(shared, nn.ReLU(), shared)",
    ),
    TiedBy.PARAMETER: (
        TWO_LAYERS,
        "    net[2].weight = net[0].weight",
        "    return net",
    ),
    TiedBy.STORAGE: (
        TWO_LAYERS,
        "    net[2].weight = nn.Parameter(net[0].weight)",
        "    return net",
    ),
}
READ_BACK = (
    "file = io.BytesIO()  # a file in memory; a path does as well",
    "torch.save(net.state_dict(), file)",
    "file.seek(0)",
    "state = torch.load(file, weights_only=True)",
    "net = make()",
)
DOING = {
    Action.TO_DTYPE: ("net.to(torch.float64)",),
    Action.HALF: ("net.half()",),
    Action.DEEPCOPY: ("net = copy.deepcopy(net)",),
    Action.TO_META: ('net.to("meta")',),
    Action.TO_EMPTY: ('net.to_empty(device="cpu")',),
    Action.META_TO_EMPTY: ('net.to("meta")', 'net.to_empty(device="cpu")'),
    Action.SAVE_LOAD: (*READ_BACK, "net.load_state_dict(state)"),
    Action.LOAD_ASSIGN: (*READ_BACK, "net.load_state_dict(state, assign=True)"),
    Action.ASSIGN_COPIES: (
        *READ_BACK,
        "copies = {name: each.clone() for name, each in state.items()}",
        "net.load_state_dict(copies, assign=True)",
    ),
    Action.LOAD_AFTER_ASSIGN: (
        *READ_BACK,
        "make().load_state_dict(state, assign=True)  # another network",
        "net.load_state_dict(state)",
    ),
    Action.STEP: (
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)",
        "net(torch.ones(2, 4)).sum().backward()",
        "optimizer.step()",
    ),
}


def tie_replay(settings: TieReplay) -> str:
    """Tie two layers, do something with the network, and look at the tie."""
    doing = DOING.get(settings.action, (f'net.to("{settings.device}")',))
    lines = "\n".join(doing)
    needs = [name for name in ("copy", "io") if f"{name}." in lines]
    head = "".join(f"import {name}\n" for name in needs) + ("\n" if needs else "")
    making = "\n".join(MAKING[settings.tied_by])
    return f"""{head}import torch
from torch import nn


def make():
{making}


torch.manual_seed(0)
net = make()
{lines}

first, second = net[0].weight, net[2].weight
is_one_object = first is second
is_one_storage = first.untyped_storage() is second.untyped_storage()

result = (is_one_object, is_one_storage, len(list(net.parameters())))
"""
