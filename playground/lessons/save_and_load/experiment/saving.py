"""Tensors to a file and back."""

from typing import Any

import torch
from torch import Tensor

from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import (
    file_bytes,
    records_of,
    scratch_folder,
)
from playground.lessons.save_and_load.records import Piece, RoundTrip, RoundTripReport, Thing

MOST_SHOWN = 4


def round_trip(settings: RoundTrip) -> RoundTripReport:
    """Save, change, load, compare.

    Shape:
        x, y: (length,).
    """
    name = settings.thing.file_name
    with scratch_folder():
        x = torch.arange(settings.length)
        value = thing_of(settings.thing, x)
        torch.save(value, name)
        saved = [each.clone() for each in _tensors(value)]
        if settings.is_changed:
            x[0] = 9
        loaded, outcome = attempt(lambda: torch.load(name))
        records, size = records_of(name), file_bytes(name)
    now, back = _tensors(value), _tensors(loaded)
    storages = {_memory(each): each.untyped_storage().nbytes() for each in now}
    pieces = [
        Piece(
            name=given,
            loaded_name=taken,
            before=_first(before),
            now=_first(after),
            loaded=_first(read),
            record=_record(records, before),
        )
        for (given, taken), before, after, read in zip(
            NAMES[settings.thing], saved, now, back, strict=True
        )
    ]
    return RoundTripReport(
        outcome=outcome,
        thing=settings.thing,
        length=settings.length,
        is_changed=settings.is_changed,
        type_name=type(loaded).__name__,
        equal=all(map(torch.equal, now, back)),
        equal_to_saved=all(map(torch.equal, saved, back)),
        is_same_object=loaded is value,
        shares_memory=bool({_memory(each) for each in back} & storages.keys()),
        shares_inside=None if len(back) < 2 else _memory(back[0]) == _memory(back[1]),
        dtype=(str(x.dtype), str(back[0].dtype)),
        pieces=tuple(pieces),
        records=tuple((record, len(data)) for record, data in records.items()),
        file_bytes=size,
        number_bytes=sum(storages.values()),
        shown=str(tuple(loaded) if isinstance(loaded, list) else loaded),
    )


NAMES = {
    Thing.TENSOR: (("x", "x2"),),
    Thing.LIST: (("x", "x2"), ("y", "y2")),
    Thing.DICT: (("x", 'mydict2["x"]'), ("y", 'mydict2["y"]')),
    Thing.TWICE: (("x", "x2"), ("x", "x3")),
}


def thing_of(thing: Thing, x: Tensor) -> Any:
    """What is saved."""
    y = torch.zeros(len(x))
    match thing:
        case Thing.TENSOR:
            return x
        case Thing.LIST:
            return [x, y]
        case Thing.DICT:
            return {"x": x, "y": y}
        case Thing.TWICE:
            return [x, x]


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return list(value.values() if isinstance(value, dict) else value)


def _memory(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _first(tensor: Tensor) -> tuple[float, ...]:
    return tuple(tensor[:MOST_SHOWN].tolist())


def _record(records: dict[str, bytes], tensor: Tensor) -> str:
    """Where the numbers of a tensor stand; x and y differ in their length in bytes."""
    numbers = tensor.numpy().tobytes()
    return next(name for name, data in records.items() if data == numbers)
