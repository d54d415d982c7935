"""Parameters frozen by name, and one step of an optimizer."""

from fnmatch import fnmatchcase

import torch
from torch import nn

from playground.compute.outcome import attempt
from playground.errors import InvalidSettingError
from playground.lessons.parameters.experiment.made import has_shape, make, shape_of, view_of
from playground.lessons.parameters.records import (
    Counted,
    FreezeByName,
    FreezeByNameReport,
    Freezing,
    Given,
)
from playground.lessons.parameters.records.views import filled


def freeze_by_name(settings: FreezeByName) -> FreezeByNameReport:
    """Freeze what matches, before or after a backward pass, and let SGD take a step.

    Raises:
        InvalidSettingError: No name matches.
    """
    made = make(settings.spec, settings.seed)
    net = made.net
    if not any(fnmatchcase(name, settings.pattern) for name, _ in net.named_parameters()):
        raise InvalidSettingError("no_match", field="pattern", given=settings.pattern)
    kept: dict[str, torch.Tensor] = {}
    gradients: dict[str, torch.Tensor | None] = {}
    held: set[int] = set()

    def run() -> None:
        if settings.freezing is Freezing.AFTER:
            made.Y.sum().backward()
        _freeze(net, settings.pattern)
        if settings.freezing is Freezing.BEFORE:
            made.call().sum().backward()
        given = [p for p in net.parameters() if settings.given is Given.ALL or p.requires_grad]
        optimizer = torch.optim.SGD(given, lr=0.1)
        held.update(id(p) for p in given)
        gradients.update({name: p.grad for name, p in net.named_parameters()})
        kept.update({name: p.detach().clone() for name, p in net.named_parameters()})
        optimizer.step()

    outcome = made.outcome
    if outcome.ok:
        outcome = attempt(run)[1]
    else:
        _freeze(net, settings.pattern)
    return FreezeByNameReport(
        outcome=outcome,
        rows=tuple(_row(name, p, held, gradients, kept) for name, p in net.named_parameters()),
        freezing=settings.freezing,
        given=settings.given,
        pattern=settings.pattern,
    )


def _freeze(net: nn.Module, pattern: str) -> None:
    for name, each in net.named_parameters():
        if fnmatchcase(name, pattern):
            each.requires_grad_(False)


def _row(
    name: str,
    each: nn.Parameter,
    held: set[int],
    gradients: dict[str, torch.Tensor | None],
    kept: dict[str, torch.Tensor],
) -> Counted:
    is_there = has_shape(each)
    return Counted(
        name=name,
        shape=shape_of(each),
        numbers=each.numel() if is_there else 0,
        size_bytes=each.numel() * each.element_size() if is_there else 0,
        is_trainable=each.requires_grad,
        is_given=id(each) in held,
        gradient=filled(view_of(gradients.get(name))),
        has_changed=name in kept and not torch.equal(kept[name], each.detach()),
    )
