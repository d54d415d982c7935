"""A network in its place: where it is, how it moves, without shapes, and what it answers."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from playground.compute.outcome import Outcome, attempt
from playground.lessons.models.records import (
    FindModel,
    FindModelReport,
    LazyStage,
    MoveInPlace,
    MoveInPlaceReport,
    MoveLazy,
    MoveLazyReport,
    Reading,
    ReadResult,
    ReadResultReport,
    Thing,
)
from playground.machines import DeviceName, Machine, device_names
from playground.machines.host import running_on

READINGS: dict[Reading, Callable[[torch.Tensor], object]] = {
    Reading.ITEM: lambda y: y.sum().item(),
    Reading.CPU: lambda y: y.cpu(),
    Reading.TOLIST: lambda y: y.tolist(),
    Reading.NUMPY: lambda y: y.detach().cpu().numpy(),
    Reading.BARE_NUMPY: lambda y: y.detach().numpy(),
    Reading.ARGMAX: lambda y: y.argmax(dim=1),
    Reading.BRANCH: lambda y: bool((y > 0).any()),
    Reading.NON_BLOCKING: lambda y: y.to("cpu", non_blocking=True),
}
ONE_VALUE_BYTES = {Reading.ITEM: 4, Reading.BRANCH: 1}  # float32; bool


def all_devices() -> tuple[DeviceName, ...]:
    """Every device of the machine that the experiment runs on."""
    return device_names(torch.cuda.device_count())


def find_model(settings: FindModel) -> FindModelReport:
    """Put two layers on their devices, and ask the network, its parameters, and one of them."""
    with running_on(settings.machine):
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
        missing = None
        for layer, device in ((net[0], settings.first), (net[2], settings.second)):
            _, moved = attempt(lambda layer=layer, device=device: layer.to(device))  # type: ignore[misc]
            missing = missing or (None if moved.ok else device)
            outcome = moved
        if missing is None:
            _, outcome = attempt(lambda: net.device)
        parameters = net.parameters()
        return FindModelReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            parameters=tuple((name, str(each.device)) for name, each in net.named_parameters()),
            collection=type(parameters).__name__,
            first_count=len(list(parameters)),
            second_count=len(list(parameters)),
            first_device=str(next(net.parameters()).device),
            missing=missing,
        )


def move_in_place(settings: MoveInPlace) -> MoveInPlaceReport:
    """Move a module or a tensor, and look at what ``.to`` was called on."""
    with running_on(settings.machine):
        is_module = settings.thing == Thing.MODULE
        thing: nn.Linear | torch.Tensor
        thing = nn.Linear(4, 3) if is_module else torch.ones(2, 4)
        started, outcome = attempt(lambda: thing.to(settings.start))
        moved = None
        if started is not None:
            thing = started
            held = _tensor_of(thing)
            address = held.data_ptr()
            moved, outcome = attempt(lambda: thing.to(settings.target))
        if moved is None:
            return MoveInPlaceReport(
                outcome=outcome,
                devices=all_devices(),
                is_simulated=settings.machine.is_simulated,
                thing=settings.thing,
                start=settings.start,
                place=None if started is None else str(_tensor_of(started).device),
                returned_place=None,
                is_same_object=None,
                keeps_parameter=None,
                shares_memory=None,
            )
        place, returned = str(_tensor_of(thing).device), _tensor_of(moved)
        return MoveInPlaceReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            thing=settings.thing,
            start=settings.start,
            place=place,
            returned_place=str(returned.device),
            is_same_object=moved is thing,
            keeps_parameter=_tensor_of(thing) is held if is_module else None,
            shares_memory=str(returned.device) == settings.start and returned.data_ptr() == address,
        )


def _tensor_of(thing: nn.Linear | torch.Tensor) -> torch.Tensor:
    return thing if isinstance(thing, torch.Tensor) else thing.weight


def move_lazy(settings: MoveLazy) -> MoveLazyReport:
    """Move a network without shapes, feed it, and look at its weights at each stage."""
    with running_on(settings.machine):
        stages: list[LazyStage] = []
        net = _lazy_net()
        stages += _stage("made", net)
        _, outcome = attempt(lambda: net.to(settings.target))
        y, is_mended = None, False
        if outcome.ok:
            stages += _stage("moved", net)
            y, outcome = attempt(lambda: net(torch.ones(2, 4, device=settings.batch)))
            stages += _stage("fed", net)
            if not outcome.ok:
                is_mended = _works_beside_the_model(settings)
        return MoveLazyReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            target=settings.target,
            batch=settings.batch,
            stages=tuple(stages),
            result_device=None if y is None else str(y.device),
            is_mended=is_mended,
        )


def _lazy_net() -> nn.Sequential:
    return nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(3))


def _works_beside_the_model(settings: MoveLazy) -> bool:
    net = _lazy_net().to(settings.target)
    return attempt(lambda: net(torch.ones(2, 4, device=settings.batch).to(settings.target)))[1].ok


def _stage(stage: str, net: nn.Sequential) -> list[LazyStage]:
    weights = {f"net[{place}].weight": net.get_parameter(f"{place}.weight") for place in (0, 2)}
    return [
        LazyStage(
            stage=stage,
            name=name,
            kind=type(weight).__name__,
            device=str(weight.device),
            shape=None if is_lazy(weight) else tuple(weight.shape),
        )
        for name, weight in weights.items()
    ]


def read_result(settings: ReadResult) -> ReadResultReport:
    """Let a network compute, read its result, and see what went to the host for it."""
    with running_on(settings.machine):
        y, outcome = attempt(lambda: _result(settings.device))
        read: object = None
        waited = None
        if y is not None:
            read, outcome, waited = _watched(settings.machine, y, READINGS[settings.reading])
        place = _place_of(read) if outcome.ok else None
        return ReadResultReport(
            outcome=outcome,
            devices=all_devices(),
            is_simulated=settings.machine.is_simulated,
            reading=settings.reading,
            result_device=None if y is None else str(y.device),
            place=place,
            type_name=type(read).__name__ if outcome.ok else None,
            value=str(read) if outcome.ok else None,
            copied_bytes=_copied_bytes(settings.reading, y, place),
            waited=waited,
        )


def _result(device: DeviceName) -> torch.Tensor:
    net = nn.Linear(4, 3, bias=False)
    nn.init.constant_(net.weight, 0.5)
    net.to(device)
    result: torch.Tensor = net(torch.ones(2, 4, device=device))
    return result


def _place_of(read: object) -> str:
    device = getattr(read, "device", None)  # arrays of NumPy 2 have one too
    return "python_number" if device is None else str(device)


def _copied_bytes(reading: Reading, y: torch.Tensor | None, place: str | None) -> int:
    if y is None or place is None or y.device.type == "cpu" or place == str(y.device):
        return 0
    return ONE_VALUE_BYTES.get(reading, y.nbytes)


def _watched(
    machine: Machine, y: torch.Tensor, read: Callable[[torch.Tensor], object]
) -> tuple[object, Outcome, bool | None]:
    """Read, and on a real GPU ask torch itself whether Python had to wait."""
    if machine.is_simulated or y.device.type != "cuda":
        return *attempt(lambda: read(y)), None
    torch.cuda.synchronize()
    with _telling_of_waits(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        value, outcome = attempt(lambda: read(y))
    torch.cuda.synchronize()
    return value, outcome, any("synchronizing" in str(each.message) for each in told)


@contextmanager
def _telling_of_waits() -> Iterator[None]:
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("warn")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(before)
