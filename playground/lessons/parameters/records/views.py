"""What a report keeps of a tensor, and of a network's tree: plain values, and not too many."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from playground.lessons.parameters.records.explained import Grid, Shape

MOST_ROWS = 24
MOST_COLUMNS = 32


@unique
class Filled(StrEnum):
    """What ``.grad`` holds."""

    NONE = "none"
    ZEROS = "zeros"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A tensor as a grid: a vector is one row, more than two dimensions are flattened to two.

    Attributes:
        grid: Its first rows and columns.
        shape: Of the whole tensor.
        least: Of all its values; 0 where there is none.
        most: The same.
    """

    grid: Grid
    shape: Shape
    least: float
    most: float

    @property
    def is_vector(self) -> bool:
        """It has one dimension, or none."""
        return len(self.shape) < 2

    @property
    def is_cut(self) -> bool:
        """Not all of it is in the grid."""
        shown = sum(map(len, self.grid))
        count = 1
        for size in self.shape:
            count *= size
        return shown < count

    @property
    def filled(self) -> Filled:
        """Whether there is anything but 0 in it."""
        return Filled.NUMBERS if self.least or self.most else Filled.ZEROS


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A parameter in the tree of modules.

    Attributes:
        name: As the state_dict has it.
        shape: None where it has none yet.
    """

    name: str
    shape: Shape | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A module in the tree.

    Attributes:
        path: As ``named_modules`` has it; empty for the network itself.
        leaves: Its own parameters.
        first: The first parameter in it, at any depth; empty where there is none.
    """

    path: str
    type_name: str
    leaves: tuple[Leaf, ...]
    first: str


def filled(view: View | None) -> Filled:
    """What a gradient holds, also where there is none."""
    return Filled.NONE if view is None else view.filled


def told_view(view: View | None) -> str:
    """A tensor in a few words, for a text that stands in for its picture."""
    if view is None:
        return "None"
    return f"{tuple(view.shape)}, {view.least:.3g} … {view.most:.3g}"


def wrong_paths(path: str, variable: str, name: str) -> tuple[str, ...]:
    """The right path among likely mistakes, in an order that gives nothing away.

    >>> wrong_paths("net[0][1].bias", "net", "0.1.bias")
    ('net["0.1.bias"]', 'net[0][1].bias', 'net[0][2].bias', 'net[1].bias')
    """
    places, last = _taken_apart(path, variable)
    mistakes = [f'{variable}["{name}"]']
    if places:
        mistakes.append(_put_together(variable, [*places[:-1], places[-1] + 1], last))
    if len(places) > 1:
        mistakes.append(_put_together(variable, places[1:], last))
    return tuple(sorted({path, *mistakes}))


def _taken_apart(path: str, variable: str) -> tuple[list[int], str]:
    rest, places = path.removeprefix(variable), []
    while rest.startswith("["):
        number, _, rest = rest[1:].partition("]")
        places.append(int(number))
    return places, rest


def _put_together(variable: str, places: Sequence[int], last: str) -> str:
    return variable + "".join(f"[{place}]" for place in places) + last
