"""What ``named_parameters`` lists, and what the state_dict keeps."""

import torch
from torch import Tensor, nn

from playground.compute.outcome import attempt
from playground.lessons.parameters.experiment.made import has_shape, make, shape_of
from playground.lessons.parameters.records import (
    Keeping,
    KeepState,
    KeepStateReport,
    Kept,
    NameParameters,
    NameParametersReport,
    parts_of,
)
from playground.lessons.parameters.records.listing import MOST_LISTED
from playground.lessons.parameters.records.paths import part_names


def name_parameters(settings: NameParameters) -> NameParametersReport:
    """List the parameters of the network, or of one of its outermost modules."""
    network = settings.spec
    net = make(network, settings.seed).net
    names = dict(zip(parts_of(network), ("", *part_names(network)), strict=False))
    part = net.get_submodule(names[settings.code])
    listed = [(name, shape_of(each)) for name, each in part.named_parameters()]
    modules = list(part.modules())
    return NameParametersReport(
        outcome=attempt(lambda: None)[1],
        part=settings.code,
        listed=tuple(listed[:MOST_LISTED]),
        entries=len(listed),
        numbers=sum(each.numel() for each in part.parameters() if has_shape(each)),
        modules=len(modules),
        layers=sum(any(True for _ in each.parameters(recurse=False)) for each in modules),
    )


def keep_state(settings: KeepState) -> KeepStateReport:
    """Give the network a tensor, and compare what it has with what its state_dict has."""
    made = make(settings.spec, settings.seed)
    net, note = made.net, torch.ones(3)

    def give() -> None:
        if settings.keeping is Keeping.ATTRIBUTE:
            net.note = note
        else:
            net.register_buffer("note", note, persistent=settings.keeping is Keeping.SAVED)

    outcome = attempt(give)[1]
    state = net.state_dict()
    return KeepStateReport(
        outcome=outcome,
        tensors=tuple(_tensors(net, note, state)),
        keeping=settings.keeping,
        keys=len(state),
        is_live=_is_live(net, state),
        wants_gradient=any(each.requires_grad for each in state.values()),
    )


def _tensors(net: nn.Module, note: Tensor, state: dict[str, Tensor]) -> list[Kept]:
    parameters = dict(net.named_parameters(remove_duplicate=False))
    registered = parameters | dict(net.named_buffers(remove_duplicate=False))
    every: dict[str, Tensor] = {name: registered.get(name, state[name]) for name in state}
    every |= {name: each for name, each in registered.items() if name not in every}
    every.setdefault("note", note)
    return [
        Kept(
            name=name,
            shape=shape_of(each),
            size_bytes=each.numel() * each.element_size() if has_shape(each) else 0,
            is_parameter=name in parameters,
            is_registered=name in registered,
            is_saved=name in state,
        )
        for name, each in every.items()
        if isinstance(each, Tensor)
    ]


def _is_live(net: nn.Module, state: dict[str, Tensor]) -> bool | None:
    """Whether a change of the first parameter that has values shows in the dict."""
    for name, each in net.named_parameters():
        if has_shape(each) and each.numel() and each.is_floating_point():
            before = state[name].clone()
            with torch.no_grad():
                each.add_(1)
            return not torch.equal(before, state[name])
    return None
