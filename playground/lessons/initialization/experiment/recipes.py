"""One rule for a whole network, or a rule for each layer."""

from collections.abc import Callable, Collection
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import Tensor, nn

from playground.compute.outcome import Outcome, attempt
from playground.errors import InvalidSettingError
from playground.lessons.initialization.experiment.initialising import known_name, what_should_come
from playground.lessons.initialization.experiment.networks import owner_of, refuse_large, shape_of
from playground.lessons.initialization.records import (
    ApplyPerLayer,
    ApplyPerLayerReport,
    ApplyToAll,
    ApplyToAllReport,
    Reach,
    Row,
    Way,
)
from playground.modules.build import build
from playground.modules.initialiser_types import Sample
from playground.modules.initialisers import sample
from playground.modules.spec import Network

BINS = 25  # many small histograms are sent at once


def apply_to_all(settings: ApplyToAll) -> ApplyToAllReport:
    """Apply one function to every module.

    >>> apply_to_all(ApplyToAll()).visited
    ('Linear', 'ReLU', 'Linear', 'Sequential')
    """
    net = _made(settings.spec, settings.seed)
    before = _samples(net)
    name, given = settings.rule
    function = getattr(nn.init, known_name(name))
    visited: list[str] = []
    touched: list[Tensor] = []

    def init(module: Any) -> None:
        visited.append(type(module).__name__)
        if not _is_meant(module, settings.reach):
            return
        what_should_come(name, dict(given), tuple(module.weight.shape))
        function(module.weight, **dict(given))
        touched.append(module.weight)
        if isinstance(getattr(module, "bias", None), nn.Parameter):
            nn.init.zeros_(module.bias)
            touched.append(module.bias)

    _, outcome = attempt(lambda: net.apply(init))
    return ApplyToAllReport(
        outcome=outcome,
        initializer=name,
        visited=tuple(visited),
        layers=len({id(owner_of(net, path)) for path, _ in net.named_parameters()}),
        rows=_rows(net, before, touched),
    )


def apply_per_layer(settings: ApplyPerLayer) -> ApplyPerLayerReport:
    """Give some layers one rule, and others another."""
    net = _made(settings.spec, settings.seed)
    before = _samples(net)
    touched: list[Tensor] = []

    def fill(tensor: Tensor, function: Callable[[Tensor], object]) -> None:
        function(tensor)
        touched.append(tensor)

    def value(tensor: Tensor) -> Tensor:
        return nn.init.constant_(tensor, settings.value)

    with_matrix: list[Any] = [each for each in net.modules() if _is_meant(each, Reach.MATRICES)]
    match settings.way:
        case Way.PLACE:
            _refuse_nothing(with_matrix, "network", "", ())
            fill(with_matrix[0].weight, nn.init.xavier_uniform_)
            fill(with_matrix[-1].weight, value)
        case Way.TYPE:
            types = [type(each).__name__ for each in with_matrix]
            meant = [each for each in types if each == settings.type_name]
            _refuse_nothing(meant, "type_name", settings.type_name, types)
            for each in with_matrix:
                is_meant = type(each).__name__ == settings.type_name
                fill(each.weight, nn.init.xavier_uniform_ if is_meant else value)
        case Way.NAME:
            names = dict(net.named_parameters())
            found = [name for name in names if fnmatchcase(name, settings.pattern)]
            _refuse_nothing(found, "pattern", settings.pattern, tuple(names))
            for name in found:
                fill(names[name], value)
    return ApplyPerLayerReport(
        outcome=Outcome(ok=True),
        way=settings.way,
        value=settings.value,
        rows=_rows(net, before, touched),
    )


def _refuse_nothing(
    found: Collection[object], field: str, given: str, allowed: Collection[str]
) -> None:
    """Refuse a rule that nothing in the network is meant by.

    Raises:
        InvalidSettingError: With key ``matches_nothing``.
    """
    if not found:
        names = ", ".join(list(dict.fromkeys(allowed))[:12]) or "—"
        raise InvalidSettingError("matches_nothing", field=field, given=given, allowed=names)


def _made(network: Network, seed: int) -> nn.Module:
    """The network, all of whose parameters have a shape and are not too many."""
    refuse_large(network)
    net = build(network, seed, inputs=())
    for path, parameter in net.named_parameters():
        if shape_of(parameter) is None:
            raise InvalidSettingError("lazy_parameter", field="network", given=path)
    return net


def _is_meant(module: nn.Module, reach: Reach) -> bool:
    if reach is Reach.LINEAR:
        return type(module) is nn.Linear
    weight = getattr(module, "weight", None)
    return isinstance(weight, nn.Parameter) and weight.dim() > 1


@torch.no_grad()
def _samples(net: nn.Module) -> dict[str, Sample]:
    return {path: sample(each, bins=BINS) for path, each in net.named_parameters()}


@torch.no_grad()
def _rows(
    net: nn.Module, before: dict[str, Sample], touched: Collection[Tensor]
) -> tuple[Row, ...]:
    after = _samples(net)
    filled = {id(each) for each in touched}
    return tuple(
        Row(
            path=path,
            type_name=type(owner_of(net, path)).__name__,
            shape=tuple(each.shape),
            is_touched=id(each) in filled,
            distinct=torch.unique(each).numel(),
            before=before[path],
            after=after[path],
        )
        for path, each in net.named_parameters()
    )
