"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from collections.abc import Mapping
from enum import StrEnum, unique


@unique
class Values(StrEnum):
    """What goes into the layer that centres."""

    RANGE = "range"
    ROWS = "rows"
    INTEGERS = "integers"

    @property
    def written(self) -> str:
        """The values as a program makes them."""
        return VALUES[self]


VALUES: Mapping[Values, str] = {
    Values.RANGE: "torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])",
    Values.ROWS: "torch.tensor([[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]])",
    Values.INTEGERS: "torch.tensor([1, 2, 3, 4, 5])",
}


@unique
class Precision(StrEnum):
    """The data type that a network computes with."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    FLOAT16 = "float16"


@unique
class Way(StrEnum):
    """How ``forward`` reads the parameters."""

    PARAMETERS = "parameters"
    DATA = "data"

    @property
    def class_name(self) -> str:
        """The class whose ``forward`` does so."""
        return "MyLinear" if self is Way.PARAMETERS else "MyLinearWithData"


@unique
class Place(StrEnum):
    """Which of a network's three layers is our own."""

    MIDDLE = "middle"
    FIRST = "first"
    LAST = "last"
    EVERYWHERE = "everywhere"

    def layers(self, own: str) -> tuple[str, ...]:
        """The network's layers as a program writes them; ours has its ReLU inside.

        >>> Place.LAST.layers("Own")
        ('nn.Linear(4, 8)', 'nn.ReLU()', 'nn.Linear(8, 8)', 'nn.ReLU()', 'Own(8, 1)')
        """
        written: list[str] = []
        for place, sizes in LAYERS.items():
            if self in (place, Place.EVERYWHERE):
                written.append(f"{own}({sizes})")
            else:
                written.append(f"nn.Linear({sizes})")
                if place is not Place.LAST:
                    written.append("nn.ReLU()")
        return tuple(written)

    @property
    def position(self) -> int:
        """Which entry of that tuple is our own layer; of several, the first."""
        return [layer.startswith("Own") for layer in self.layers("Own")].index(True)


LAYERS: Mapping[Place, str] = {Place.FIRST: "4, 8", Place.MIDDLE: "8, 8", Place.LAST: "8, 1"}


@unique
class Copying(StrEnum):
    """How the weight of one layer is written into the other."""

    PLAIN = "plain"
    TRANSPOSED = "transposed"

    @property
    def written(self) -> str:
        """The line as a program writes it."""
        return f"linear.weight.copy_(layer.weight{'.T' if self is Copying.TRANSPOSED else ''})"


@unique
class Holding(StrEnum):
    """What a module holds a tensor as."""

    ATTRIBUTE = "attribute"
    TRACKED = "tracked"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    UNSAVED = "unsaved"

    @property
    def class_name(self) -> str:
        """The class that holds it so."""
        return HOLDERS[self]


HOLDERS: Mapping[Holding, str] = {
    Holding.ATTRIBUTE: "ScaleAttribute",
    Holding.TRACKED: "ScaleTracked",
    Holding.PARAMETER: "ScaleParameter",
    Holding.BUFFER: "ScaleBuffer",
    Holding.UNSAVED: "ScaleUnsavedBuffer",
}


@unique
class Assignment(StrEnum):
    """What is done to a layer's weight after its optimizer was made."""

    TENSOR = "tensor"
    PARAMETER = "parameter"
    COPY = "copy"
    DATA = "data"
    SCALED = "scaled"
    BUFFER = "buffer"
    NONE = "none"
    DELETED = "deleted"

    @property
    def written(self) -> tuple[str, ...]:
        """The lines as a program writes them."""
        return ASSIGNMENTS[self]


ASSIGNMENTS: Mapping[Assignment, tuple[str, ...]] = {
    Assignment.TENSOR: ("layer.weight = torch.ones(4, 3)",),
    Assignment.PARAMETER: ("layer.weight = nn.Parameter(torch.ones(4, 3))",),
    Assignment.COPY: ("with torch.no_grad():", "    layer.weight.copy_(torch.ones(4, 3))"),
    Assignment.DATA: ("layer.weight.data = torch.ones(4, 3)",),
    Assignment.SCALED: ("layer.weight = nn.Parameter(torch.ones(4, 3)) * 2",),
    Assignment.BUFFER: ('layer.register_buffer("weight", torch.ones(4, 3))',),
    Assignment.NONE: ("layer.weight = None",),
    Assignment.DELETED: ("del layer.weight", "layer.weight = torch.ones(4, 3)"),
}
