"""One rule for a whole network, or a rule for each layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_length, check_within
from playground.explained import Table, Told
from playground.lessons.initialization.records.arguments import (
    SEED_BOUNDS,
    Given,
    Pairs,
    check_name,
    check_seed,
    checked,
    written,
)
from playground.lessons.initialization.records.explained import Explained
from playground.lessons.initialization.records.networks import DEFAULT, check_network
from playground.modules.initialiser_types import MOST_ARGUMENT, Sample
from playground.modules.spec import Network
from playground.units import short

MOST_ROWS = 40  # of a table
MOST_PATTERN = 64


@unique
class Recipe(StrEnum):
    """Rules for a whole network."""

    NORMAL = "normal"
    CONSTANT = "constant"
    XAVIER = "xavier"
    BY_HAND = "by_hand"


READY: dict[Recipe, tuple[str, Pairs]] = {
    Recipe.NORMAL: ("normal_", (("mean", 0.0), ("std", 0.01))),
    Recipe.CONSTANT: ("constant_", (("val", 1.0),)),
    Recipe.XAVIER: ("xavier_uniform_", ()),
}


@unique
class Reach(StrEnum):
    """Which modules a rule is for."""

    LINEAR = "linear"
    MATRICES = "matrices"


@unique
class Way(StrEnum):
    """How to say which layer is meant."""

    PLACE = "place"
    TYPE = "type"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A parameter before and after.

    Attributes:
        is_touched: A rule has filled it.
        distinct: How many different values it has now.
    """

    path: str
    type_name: str
    shape: tuple[int, ...]
    is_touched: bool
    distinct: int
    before: Sample
    after: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeReport(Explained):
    """Every parameter of a network, before and after."""

    rows: tuple[Row, ...]

    @property
    def touched(self) -> int:
        """How many parameters a rule has filled."""
        return sum(row.is_touched for row in self.rows)

    @property
    def is_drawn(self) -> bool:
        """There are parameters."""
        return bool(self.rows)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"touched": self.touched, "untouched": len(self.rows) - self.touched}

    @property
    def pictured(self) -> Told:
        """The parameters, for a text that stands in for the picture."""
        ways = "; ".join(
            f"{row.path}: {short(row.before.mean, 4)} ± {short(row.before.std, 4)} → "
            f"{short(row.after.mean, 4)} ± {short(row.after.std, 4)}"
            for row in self.rows[:MOST_ROWS]
        )
        return {"ways": ways}

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Parameter by parameter."""
        rows = tuple(
            (
                row.path,
                str(row.shape),
                words["by_rule"] if row.is_touched else words["by_default"],
                short(row.after.mean, 4),
                short(row.after.std, 4),
                row.distinct,
            )
            for row in self.rows[:MOST_ROWS]
        )
        return ((("parameter", "shape", "filled", "mean", "std", "distinct"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyToAllReport(RecipeReport):
    """What ``net.apply`` did.

    Attributes:
        visited: The classes of the modules that the function was called with, in order.
        layers: How many modules have parameters of their own.
    """

    initializer: str
    visited: tuple[str, ...]
    layers: int

    @property
    def actual(self) -> str:
        """How often the function was called."""
        return str(len(self.visited))

    @property
    def answers(self) -> tuple[str, ...]:
        """Numbers that could be it."""
        numbers = {1, self.layers, len(self.rows), len(self.visited), len(self.visited) - 1}
        return tuple(map(str, sorted(numbers - {0})))

    @property
    def printed(self) -> str:
        """The modules, in the order of the calls."""
        shown = self.visited if len(self.visited) <= 12 else (*self.visited[:11], "…")
        return " → ".join(shown)

    @property
    def mentions(self) -> Told:
        """The numbers."""
        return {**self.told, "calls": len(self.visited), "initializer": self.initializer}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "refused"
        if not self.touched:
            return "nothing-touched"
        matrices = [row for row in self.rows if row.is_touched and len(row.shape) > 1]
        is_constant = bool(matrices) and all(row.distinct == 1 for row in matrices)
        return "applied-constant" if is_constant else "applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyToAll(Settings["ApplyToAllReport"]):
    """Let one function fill the weights of a whole network, and put its biases to zero.

    Args:
        network: As JSON.
        recipe: A ready rule, or one by hand, of ``initializer`` and ``arguments``.
        reach: Which modules it is for.
        seed: Of torch's generator, before the network is made.
    """

    BOUNDS: ClassVar[Bounds] = SEED_BOUNDS

    network: str = DEFAULT.to_json()
    recipe: Recipe = Recipe.NORMAL
    initializer: str = "normal_"
    arguments: Given = ()
    reach: Reach = Reach.LINEAR
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_network(self.network)
        check_name("initializer", self.initializer)
        object.__setattr__(self, "arguments", checked(self.initializer, self.arguments))
        check_seed(self.seed)

    @property
    def rule(self) -> tuple[str, Pairs]:
        """The initialiser of the weights, and its arguments."""
        return READY.get(self.recipe) or (
            self.initializer,
            checked(self.initializer, self.arguments),
        )

    @property
    def call(self) -> str:
        """The rule as a line of code, on a module's weight."""
        name, arguments = self.rule
        more = written(arguments)
        return f"nn.init.{name}(module.weight{', ' if more else ''}{more})"

    @property
    def spec(self) -> Network:
        """The network as data."""
        return Network.from_json(self.network)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPerLayerReport(RecipeReport):
    """What the rules did.

    Attributes:
        way: How the layers were named.
        value: The constant of the second rule.
    """

    way: Way
    value: float

    @property
    def last(self) -> Row:
        """The last bias, or else the last parameter."""
        biases = [row for row in self.rows if row.path.endswith("bias")]
        return (biases or list(self.rows))[-1]

    @property
    def actual(self) -> str:
        """What is in the last bias."""
        after = self.last.after
        if self.last.is_touched and after.least == after.most:
            return "value"
        return "zeros" if after.zero_fraction == 1 else "default"

    @property
    def mentions(self) -> Told:
        """The numbers, and the last bias."""
        return {**self.told, "value": short(self.value, 4), "last": self.last.path}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return f"by-{self.way}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPerLayer(Settings["ApplyPerLayerReport"]):
    """Give some layers one rule, and others another.

    Args:
        network: As JSON.
        way: By place: Xavier for the first layer with a matrix, the value for the last. By type:
            Xavier for the layers of ``type_name``, the value for the others. By name: the value
            for every parameter whose name fits ``pattern``.
        value: The constant.
        type_name: A class of layers.
        pattern: With ``*`` for anything.
        seed: Of torch's generator, before the network is made.
    """

    BOUNDS: ClassVar[Bounds] = {**SEED_BOUNDS, "value": {"least": -1000.0, "most": 1000.0}}

    network: str = DEFAULT.to_json()
    way: Way = Way.PLACE
    value: float = 42.0
    type_name: str = "Linear"
    pattern: str = "*.bias"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_network(self.network)
        check_within("value", self.value, least=-MOST_ARGUMENT, most=MOST_ARGUMENT)
        check_length("type_name", self.type_name, most=MOST_PATTERN)
        check_length("pattern", self.pattern, most=MOST_PATTERN)
        check_seed(self.seed)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return Network.from_json(self.network)
