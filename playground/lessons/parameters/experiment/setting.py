"""Values set by hand, before the forward pass or behind its back."""

from copy import deepcopy

import torch
from torch import nn

from playground.compute.outcome import attempt
from playground.lessons.parameters.experiment.made import (
    Made,
    make,
    named,
    parameter,
    same,
    view_of,
)
from playground.lessons.parameters.records import Setting, SetValue, SetValueReport, Way


def set_value(settings: SetValue) -> SetValueReport:
    """Set values of one parameter, then go back through the network."""
    made = make(settings.spec, settings.seed)
    chosen = parameter(made.net, settings.path)
    before = view_of(chosen)
    lines = settings.lines
    outcome, is_set = made.outcome, False
    wrong: tuple[str, ...] = ()
    if outcome.ok:
        right = _right_gradients(settings)
        outcome = attempt(lambda: _set(chosen, settings))[1]
        is_set = outcome.ok
        if is_set:
            outcome = attempt(lambda: _go_back(made, settings.setting))[1]
            wrong = _wrong(made.net, right) if outcome.ok else ()
    return SetValueReport(
        outcome=outcome,
        name=settings.path,
        lines=lines,
        way=settings.way,
        setting=settings.setting,
        before=before,
        after=view_of(chosen),
        wrong=wrong,
        is_set=is_set,
    )


def _set(weight: nn.Parameter, settings: SetValue) -> None:
    way, place = settings.way, (0,) * settings.rank
    if way is Way.ITEM:
        weight[place] = 42
    elif way is Way.ADD:
        weight.add_(1)
    elif way is Way.DATA_ADD:
        weight.data[:] += 1
    elif way is Way.DATA_ITEM:
        weight.data[place] = 42
    else:
        with torch.no_grad():
            weight[place] = 42


def _go_back(made: Made, setting: Setting) -> None:
    output = made.Y if setting is Setting.BETWEEN else made.call()
    output.sum().backward()


def _right_gradients(settings: SetValue) -> dict[str, torch.Tensor | None] | None:
    """What the gradients should be: those of the ``Y`` that is gone back from.

    An untouched network of the same seed says so for a ``Y`` that was computed before; behind a
    fresh forward pass there is nothing that could have changed meanwhile.
    """
    if settings.setting is Setting.FRESH:
        return None
    twin = make(settings.spec, settings.seed)
    if not attempt(lambda: twin.Y.sum().backward())[1].ok:
        return None
    return {name: deepcopy(each.grad) for name, each in named(twin.net).items()}


def _wrong(net: nn.Module, right: dict[str, torch.Tensor | None] | None) -> tuple[str, ...]:
    if right is None:
        return ()
    return tuple(name for name, p in net.named_parameters() if not same(p.grad, right[name]))
