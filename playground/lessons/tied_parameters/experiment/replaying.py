"""Every action on a network that is tied in every way; what is left of the tie is looked up."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.autograd import backward

from playground.compute.outcome import attempt
from playground.lessons.tied_parameters.records import (
    Action,
    Replayed,
    Tie,
    TiedBy,
    TieReplay,
    TieReplayReport,
)
from playground.machines import DeviceName
from playground.machines.host import running_on

Make = Callable[[], nn.Sequential]
State = dict[str, Tensor]


def tie_replay(settings: TieReplay) -> TieReplayReport:
    """Do everything, each on a network of its own; the chosen one gives the outcome."""
    with running_on(settings.machine):
        every = tuple(
            _replay(action, tied_by, settings.device) for action in Action for tied_by in TiedBy
        )
    (chosen,) = (
        each
        for each in every
        if each.action is settings.action and each.tied_by is settings.tied_by
    )
    return TieReplayReport(
        outcome=chosen.outcome,
        action=settings.action,
        tied_by=settings.tied_by,
        device=settings.device,
        every=every,
    )


def _replay(action: Action, tied_by: TiedBy, device: DeviceName) -> Replayed:
    torch.manual_seed(0)
    net = MAKERS[tied_by]()
    before, parameters_before = _tie(net), len(list(net.parameters()))
    done, outcome = attempt(lambda: _do(action, net, MAKERS[tied_by], device))
    net = net if done is None else done
    weight, _ = _weights(net)
    return Replayed(
        action=action,
        tied_by=tied_by,
        outcome=outcome,
        before=before,
        after=_tie(net),
        parameters_before=parameters_before,
        parameters_after=len(list(net.parameters())),
        follows=None if weight.is_meta else _follows(net),
        device=str(weight.device),
        dtype=str(weight.dtype).removeprefix("torch."),
    )


def _by_module() -> nn.Sequential:
    shared = nn.Linear(4, 4)
    return nn.Sequential(shared, nn.ReLU(), shared)


def _by_parameter() -> nn.Sequential:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = net[0].weight
    return net


def _by_storage() -> nn.Sequential:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    net[2].weight = nn.Parameter(net.get_parameter("0.weight"))
    return net


MAKERS: dict[TiedBy, Make] = {
    TiedBy.MODULE: _by_module,
    TiedBy.PARAMETER: _by_parameter,
    TiedBy.STORAGE: _by_storage,
}


def _do(action: Action, net: nn.Sequential, make: Make, device: DeviceName) -> nn.Sequential:
    match action:
        case Action.TO_DTYPE:
            return net.to(torch.float64)
        case Action.HALF:
            return net.half()
        case Action.TO_DEVICE:
            return net.to(device)
        case Action.DEEPCOPY:
            return copy.deepcopy(net)
        case Action.TO_META:
            return net.to("meta")
        case Action.TO_EMPTY:
            return net.to_empty(device="cpu")
        case Action.META_TO_EMPTY:
            return net.to("meta").to_empty(device="cpu")
        case Action.STEP:
            return _stepped(net)
        case _:
            return _loaded(action, _read_back(net), make)


def _loaded(action: Action, state: State, make: Make) -> nn.Sequential:
    net = make()
    match action:
        case Action.LOAD_ASSIGN:
            net.load_state_dict(state, assign=True)
        case Action.ASSIGN_COPIES:
            copies = {name: each.clone() for name, each in state.items()}
            net.load_state_dict(copies, assign=True)
        case Action.LOAD_AFTER_ASSIGN:
            make().load_state_dict(state, assign=True)
            net.load_state_dict(state)  # assigns as well: the dict remembers
        case _:
            net.load_state_dict(state)
    return net


def _read_back(net: nn.Module) -> State:
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    state: State = torch.load(file, weights_only=True)
    return state


def _stepped(net: nn.Sequential) -> nn.Sequential:
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    backward(net(torch.ones(2, 4)).sum())
    optimizer.step()
    return net


def _tie(net: nn.Sequential) -> Tie:
    first, second = _weights(net)
    if first is second:
        return Tie.ONE_OBJECT
    is_one_storage = first.untyped_storage() is second.untyped_storage()
    return Tie.ONE_STORAGE if is_one_storage else Tie.APART


@torch.no_grad()
def _follows(net: nn.Sequential) -> bool:
    first, second = _weights(net)
    first[0, 0] = 100.0
    return bool(second[0, 0].item() == 100.0)


def _weights(net: nn.Sequential) -> tuple[nn.Parameter, nn.Parameter]:
    return net.get_parameter("0.weight"), net.get_parameter("2.weight")
