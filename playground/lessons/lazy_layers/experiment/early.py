"""Does things with a lazy network before its first batch, and after it."""

import copy
import io
from collections.abc import Callable, Mapping
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin

from playground.compute.outcome import Outcome
from playground.lessons.lazy_layers.experiment.answering import asked, brief
from playground.lessons.lazy_layers.records import (
    Action,
    Answer,
    Tried,
    TryTooEarly,
    TryTooEarlyReport,
)
from playground.modules.build import build, draw_inputs
from playground.modules.build.assemble import assembled

Making = Callable[[], nn.Module]  # the net with its sizes; where it is large, that takes a while
Doing = Callable[[nn.Module, Tensor, Making], object]  # net, weight, the net with its sizes


def _freeze_each(net: nn.Module) -> None:
    for each in net.parameters():
        each.requires_grad = False


def _save_and_load(net: nn.Module) -> object:
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    return torch.load(file)


DOING: Mapping[Action, Doing] = {
    Action.COUNT: lambda net, *_: sum(each.numel() for each in net.parameters()),
    Action.NAMES: lambda net, *_: list(net.named_parameters()),
    Action.INIT_NORMAL: lambda _, weight, __: nn.init.normal_(weight, std=0.01),
    Action.INIT_XAVIER: lambda _, weight, __: nn.init.xavier_uniform_(weight),
    Action.FREEZE: lambda net, *_: net.requires_grad_(False),
    Action.FREEZE_EACH: lambda net, *_: _freeze_each(net),
    Action.DOUBLE: lambda net, *_: net.double(),
    Action.BFLOAT16: lambda net, *_: net.bfloat16(),
    Action.DEEPCOPY: lambda net, *_: copy.deepcopy(net),
    Action.STATE_DICT: lambda net, *_: net.state_dict(),
    Action.SAVE_AND_LOAD: lambda net, *_: _save_and_load(net),
    Action.INTO_EAGER: lambda net, _, eager: eager().load_state_dict(net.state_dict()),
    Action.FROM_EAGER: lambda net, _, eager: net.load_state_dict(eager().state_dict()),
    Action.SGD: lambda net, *_: torch.optim.SGD(net.parameters(), lr=0.1),
    Action.ADAGRAD: lambda net, *_: torch.optim.Adagrad(net.parameters(), lr=0.1),
}
SHOWN = {Action.COUNT, Action.NAMES, Action.FROM_EAGER}  # the others show that they worked


def try_too_early(settings: TryTooEarly) -> TryTooEarlyReport:
    """Try every action on a fresh network, then on one that has been fed.

    Raises:
        InvalidSpecError: It cannot be made, or is too large.
    """
    path, tried = _tried(settings.network)
    chosen = [each.before.outcome for each in tried if each.action is settings.action]
    return TryTooEarlyReport(
        outcome=chosen[0] if chosen else Outcome(ok=True),
        action=settings.action,
        tried=tried,
        layer=path,
    )


@lru_cache(maxsize=8)
def _tried(network: str) -> tuple[str, tuple[Tried, ...]]:
    """Where the first lazy layer stands, and all actions; nothing where there is no such layer."""
    settings = TryTooEarly(network=network)
    net = build(settings.lazy)  # refuses what is too large
    path = next((path for path, each in net.named_modules() if _waits(each)), None)
    if path is None:
        return "", ()
    return path, tuple(
        Tried(
            action=action,
            before=_try(action, settings, path, is_fed=False),
            after=_try(action, settings, path, is_fed=True),
        )
        for action in Action
    )


def _waits(module: nn.Module) -> bool:
    return isinstance(module, LazyModuleMixin) and isinstance(module.weight, Tensor)


def _try(action: Action, settings: TryTooEarly, path: str, *, is_fed: bool) -> Answer:
    """Try it on networks of its own; a lazy one cannot always be copied."""
    net = assembled(settings.lazy.block)
    if is_fed:  # where that fails, the layers that the batch reached have their shapes
        asked(lambda: net(*draw_inputs(settings.lazy.input)))
    weight = net.get_submodule(path).weight
    assert isinstance(weight, Tensor)
    return asked(
        lambda: DOING[action](net, weight, lambda: assembled(settings.eager.block)),
        brief if action in SHOWN else lambda _: "✓",
    )
