"""Where a file goes, and what torch says where it cannot."""

from pathlib import Path

import torch
from torch import Tensor

from playground.compute.outcome import attempt
from playground.lessons.save_and_load.experiment.scratch import file_bytes, scratch_folder
from playground.lessons.save_and_load.records import Place, SaveInto, SaveIntoReport

FILE = "data/x"
CUT = 1000  # bytes; the file has more


def save_into(settings: SaveInto) -> SaveIntoReport:
    """Save four numbers, and load them."""
    place = settings.place
    with scratch_folder():
        loaded, outcome = attempt(lambda: _save_and_load(place))
        files = [str(each) for each in sorted(Path("data").glob("*"))]
        sizes = tuple((Path(each).as_posix(), file_bytes(each)) for each in files)
        is_mended = None
        if place is Place.MISSING:
            _, mended = attempt(lambda: _save_and_load(Place.MADE))
            is_mended = mended.ok
    return SaveIntoReport(
        outcome=outcome,
        place=place,
        loaded=None if loaded is None else tuple(loaded.tolist()),
        files=sizes,
        is_mended=is_mended,
    )


def save(place: Place) -> None:
    """Write ``data/x`` as the program does, before it is loaded."""
    x = torch.arange(4)
    if place is not Place.MISSING:
        Path("data").mkdir(exist_ok=True)
    torch.save(x, FILE)
    if place is Place.AGAIN:
        torch.save(x + 10, FILE)
    if place is Place.CUT:
        file = Path(FILE)
        file.write_bytes(file.read_bytes()[:CUT])


def _save_and_load(place: Place) -> Tensor:
    save(place)
    loaded: Tensor = torch.load("data/X" if place is Place.OTHER_NAME else FILE)
    return loaded
