"""What a student may have meant."""

import difflib
from collections.abc import Iterable

from playground.sandbox.facade.tables import words

SHORTEST = 4  # letters of a name; a shorter one is near to too many
NO_MISTAKES = words(
    """
    backends classes compile compiler data_ptr decode distributed encode export from_file
    fromfile genfromtxt hub jit load loads memmap multiprocessing onnx package profiler save saves
    serialization sparse storage system tensorboard
    """
)  # names that exist elsewhere, and are meant as they stand


def nearest(given: str, *known: Iterable[str]) -> str | None:
    """The listed name that looks most like a given one; None where none does.

    It takes a millisecond, as it compares the name with each that is known.

    >>> nearest("Liner", ["Linear", "ReLU"], ["Flatten"])
    'Linear'
    """
    if len(given) < SHORTEST or given in NO_MISTAKES:
        return None
    close = difflib.get_close_matches(given, sorted(set().union(*known)), n=1, cutoff=0.8)
    return close[0] if close else None
