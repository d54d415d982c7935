"""One seed, twice: a network with its sizes, and the same one made lazy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_bounds
from playground.errors import InvalidSettingError
from playground.explained import Quiet, Table, Told
from playground.lessons.lazy_layers.records.answers import OWN, SEEDS, Shape, is_own
from playground.lessons.lazy_layers.records.choices import Recipe
from playground.modules.spec import Block, Layer, Network
from playground.modules.spec.edit import insert
from playground.modules.spec.lazy import Which, postponed

MOST_TOLD = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Random numbers that torch's generator gave out in one go.

    Attributes:
        what: The parameter they went into, ``"X"`` for the batch, or the operation that drew them.
        numbers: How many.
        in_forward: Drawn while the network was called, not while it was made.
    """

    what: str
    numbers: int
    in_forward: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A parameter in both networks."""

    name: str
    shape: Shape
    is_equal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSeedsReport(Quiet):
    """Two networks from one seed, both after one batch.

    Attributes:
        outcome: Of the lazy network's first forward.
        compared: The parameters that random numbers went into.
        eager, lazy: What was drawn after the seed was set, in order, up to the end of the forward.
    """

    recipe: Recipe
    compared: tuple[Compared, ...]
    eager: tuple[Draw, ...]
    lazy: tuple[Draw, ...]

    @property
    def actual(self) -> str:
        """How much agrees."""
        if not self.outcome.ok:
            return self.outcome.error_type
        return {len(self.compared): "all_equal", 0: "none_equal"}.get(self.equal, "some_equal")

    @property
    def equal(self) -> int:
        """How many parameters agree."""
        return sum(each.is_equal for each in self.compared)

    @property
    def is_same_order(self) -> bool:
        """Both drew the same amounts for the same things, in the same order."""
        return _told(self.eager) == _told(self.lazy)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"equal": f"{self.equal} / {len(self.compared)}" if self.outcome.ok else None}

    @property
    def mentions(self) -> Told:
        """The facts, and both orders."""
        return {
            **self.told,
            "eager_order": _in_short(self.eager),
            "lazy_order": _in_short(self.lazy),
            "first": self.lazy[0].what if self.lazy else "—",
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-forward-no-weights"
        if not self.compared:
            return "nothing-drawn"
        if self.equal == len(self.compared):
            return "same-order"
        return {
            Recipe.BATCH: "batch-came-first",
            Recipe.DROPOUT: "dropout-came-between",
            Recipe.BACKWARDS: "made-backwards",
        }.get(self.recipe, "order-differs")

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Parameter by parameter."""
        del words
        rows = tuple((each.name, str(each.shape), each.is_equal) for each in self.compared)
        return ((("name", "shape", "is_equal"), rows),) if rows else ()


def _told(draws: tuple[Draw, ...]) -> str:
    return ", ".join(f"{each.what} {each.numbers}" for each in draws) or "—"


def _in_short(draws: tuple[Draw, ...]) -> str:
    return _told(draws[:MOST_TOLD]) + (", …" if len(draws) > MOST_TOLD else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSeeds(Settings[CompareSeedsReport]):
    """Make a network with its sizes and without, from one seed, and compare the weights.

    Args:
        network: As JSON, with its sizes.

    Raises:
        InvalidSettingError: The recipe is one for the lesson's own network.
    """

    BOUNDS: ClassVar[Bounds] = {"seed": SEEDS}

    network: str = OWN
    recipe: Recipe = Recipe.ALL
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        self.check_types()
        check_bounds(self)
        Network.from_json(self.network)
        if self.recipe not in recipes_for(self.network):
            allowed = ", ".join(recipes_for(self.network))
            raise InvalidSettingError("choice", field="recipe", given=self.recipe, allowed=allowed)

    @property
    def eager(self) -> Network:
        """The network with its sizes."""
        network = Network.from_json(self.network)
        if self.recipe is not Recipe.DROPOUT:
            return network
        assert isinstance(network.block, Block)  # the lesson's own
        block = insert(network.block, (2,), Layer("Dropout", {"p": 0.5}))
        return Network(block, network.input)

    @property
    def lazy(self) -> Network:
        """The same, with all or some of its layers made lazy."""
        which = {Recipe.FIRST: Which.FIRST, Recipe.LAST: Which.LAST}.get(self.recipe, Which.ALL)
        return postponed(self.eager, which)


def recipes_for(network: str) -> tuple[Recipe, ...]:
    """What can be tried with a network, given as JSON."""
    return tuple(each for each in Recipe if each.is_general or is_own(network))
