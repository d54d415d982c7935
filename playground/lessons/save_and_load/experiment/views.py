"""A part of a large tensor to a file: how much of the storage comes along."""

import torch
from torch import Tensor

from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import file_bytes, scratch_folder
from playground.lessons.save_and_load.records import Copying, Part, SaveView, SaveViewReport

FILE = "part.pt"


def save_view(settings: SaveView) -> SaveViewReport:
    """Save the part as it is asked for, and once more after ``clone()``.

    Shape:
        big: (length,).
    """
    big = torch.arange(settings.length, dtype=torch.float32)
    part = _part(settings.part, big)
    saved = part_of(settings, big)
    with scratch_folder():
        torch.save(saved, FILE)
        size, loaded = file_bytes(FILE), torch.load(FILE)
        torch.save(part.clone(), FILE)
        cloned_size = file_bytes(FILE)
    return SaveViewReport(
        outcome=attempt(lambda: None)[1],
        part=settings.part,
        copying=settings.copying,
        length=settings.length,
        numbers=part.numel(),
        stride=part.stride(0),
        part_bytes=part.numel() * part.element_size(),
        big_bytes=big.untyped_storage().nbytes(),
        storage_bytes=saved.untyped_storage().nbytes(),
        file_bytes=size,
        cloned_bytes=cloned_size,
        shares_storage=saved.untyped_storage().data_ptr() == big.untyped_storage().data_ptr(),
        equal=torch.equal(loaded, part),
    )


def part_of(settings: SaveView, big: Tensor) -> Tensor:
    """What is saved."""
    part = _part(settings.part, big)
    match settings.copying:
        case Copying.NOTHING:
            return part
        case Copying.CLONE:
            return part.clone()
        case Copying.CONTIGUOUS:
            return part.contiguous()
        case Copying.DETACH:
            return part.detach()


def _part(part: Part, big: Tensor) -> Tensor:
    match part:
        case Part.FIRST_TWO:
            return big[:2]
        case Part.EVERY_THOUSANDTH:
            return big[::1000]
        case Part.COMPUTED:
            return big[:2] * 1
        case Part.EXPANDED:
            return big[:1].clone().expand(len(big))
