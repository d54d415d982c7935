"""Which names of a network are one Parameter, and which lie in one storage."""

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from playground.compute.outcome import Outcome, attempt
from playground.lessons.tied_parameters.records import CountTied, CountTiedReport, Named
from playground.modules.build import build, draw_inputs


def count_tied(settings: CountTied) -> CountTiedReport:
    """Build the network, feed it once if its shapes are to come, and go through its names.

    Raises:
        InvalidSpecError: It cannot be built, or is too large.
    """
    network = settings.spec
    net = build(network)
    outcome = Outcome(ok=True)
    if settings.is_lazy:
        batch = draw_inputs(network.input)
        _, outcome = attempt(lambda: net(*batch))
    state = {name: each for name, each in net.state_dict().items() if isinstance(each, Tensor)}
    known = [each for each in state.values() if not is_lazy(each)]
    parameters = {name for name, _ in net.named_parameters(remove_duplicate=False)}
    storages = {id(each): each for each in (tensor.untyped_storage() for tensor in known)}
    return CountTiedReport(
        outcome=outcome,
        rows=tuple(_named(net)),
        counted=_numbers(net.parameters()),
        saved=_numbers(state.values()),
        buffers=_numbers(each for name, each in state.items() if name not in parameters),
        keys=len(state),
        storages=len(storages),
        storage_bytes=sum(each.nbytes() for each in storages.values()),
    )


def _named(net: nn.Module) -> Iterator[Named]:
    counted = {name for name, _ in net.named_parameters()}
    state = net.state_dict()
    objects: dict[int, int] = {}
    storages: dict[torch.UntypedStorage, int] = {}
    for name, parameter in net.named_parameters(remove_duplicate=False):
        number = objects.setdefault(id(parameter), len(objects) + 1)
        storage = None
        if not is_lazy(parameter):
            held = parameter.untyped_storage()  # the same object for all tensors that lie in it
            storage = storages.setdefault(held, len(storages) + 1)
        yield Named(
            name=name,
            object_number=number,
            storage_number=storage,
            shape=None if is_lazy(parameter) else tuple(parameter.shape),
            numbers=_numbers([parameter]),
            is_counted=name in counted,
            in_state_dict=name in state,
        )


def _numbers(tensors: Iterable[Tensor]) -> int:
    return sum(0 if is_lazy(each) else each.numel() for each in tensors)
