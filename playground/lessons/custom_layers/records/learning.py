"""What comes of a layer with parameters: its gradient, its training, its weight's layout."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.explained import Cell, Table, Told
from playground.lessons.custom_layers.records.choices import Copying, Place, Way
from playground.lessons.custom_layers.records.explained import Explained, Gradient
from playground.units import short

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UseMyLinearReport(Explained):
    """One pass forward and one back through a layer of our own.

    Attributes:
        grad_fn: The name of what made the output; None where autograd knows nothing.
        output: One row for each row of the batch.
        weight, weight_grad: Row i, column j: from input i to unit j.
        rows: Name, shape and kind of gradient of every parameter.
        parameters: How many numbers the layer learns.
    """

    way: Way
    units_in: int
    units: int
    seed: int
    grad_fn: str | None
    output: Matrix
    weight: Matrix
    weight_grad: Matrix | None
    rows: tuple[tuple[str, tuple[int, ...], Gradient], ...]
    parameters: int

    @property
    def gradient(self) -> Gradient:
        """What ``weight.grad`` holds."""
        grad = self.weight_grad
        return Gradient.of(None if grad is None else [each for row in grad for each in row])

    @property
    def dead(self) -> tuple[int, ...]:
        """The units that were at 0 for every row of the batch."""
        return tuple(j for j in range(self.units) if not any(row[j] for row in self.output))

    @property
    def actual(self) -> str:
        """What the gradient is, or torch's refusal."""
        return self.gradient if self.outcome.ok else self.outcome.error_type

    @property
    def is_drawn(self) -> bool:
        """The weight is there in any case."""
        return True

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "grad_fn": self.grad_fn or "None",
            "output_shape": str((len(self.output), self.units)),
            "parameters": self.parameters,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the units."""
        return {
            **self.told,
            "dead": len(self.dead),
            "units": self.units,
            "alive": self.units - len(self.dead),
            "units_in": self.units_in,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.way is Way.DATA:
            return "data-has-no-history"
        if self.gradient is Gradient.ZEROS:
            return "all-units-rest"
        return "some-units-rest" if self.dead else "gradient-arrives"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every parameter and its gradient."""
        rows = tuple(
            (name, str(shape), words[f"gradient_{gradient}"]) for name, shape, gradient in self.rows
        )
        return ((("name", "shape", "gradient"), rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """One parameter, before and after the training.

    Attributes:
        name: As ``named_parameters`` names it.
        type_name: The class of its layer.
        is_own: The layer is our own.
        gradient: What ``.grad`` held after the first ``backward``.
        has_changed: The training changed its values.
    """

    name: str
    type_name: str
    is_own: bool
    gradient: Gradient
    has_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A training of the network in one of the two ways.

    Attributes:
        grad_fn: The name of what made our own layer's output; None where autograd knows nothing.
        losses: Before each step, and after the last; empty where torch refused.
    """

    way: Way
    outcome: Outcome
    grad_fn: str | None
    losses: tuple[float, ...]
    parameters: tuple[Trained, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainThroughReport(Explained):
    """The same network trained twice: as it should be, and with ``.data`` in our own layer."""

    place: Place
    steps: int
    seed: int
    good: Run
    bad: Run

    @property
    def actual(self) -> str:
        """What becomes of the run with ``.data``."""
        if not self.outcome.ok:
            return self.outcome.error_type
        changed = [each.has_changed for each in self.bad.parameters]
        if all(changed):
            return "trains_all"
        return "trains_rest" if any(changed) else "trains_nothing"

    @property
    def is_drawn(self) -> bool:
        """At least the good run has losses."""
        return bool(self.good.losses)

    @property
    def still(self) -> tuple[str, ...]:
        """The parameters that ``.data`` keeps from being trained."""
        return tuple(each.name for each in self.bad.parameters if not each.has_changed)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "grad_fn_good": self.good.grad_fn or "None",
            "grad_fn_bad": self.bad.grad_fn or "None",
        }

    @property
    def mentions(self) -> Told:
        """The facts, the losses, and what stood still."""
        ends = {"first_loss": self.good.losses[:1], "good_loss": self.good.losses[-1:]}
        ends |= {"bad_loss": self.bad.losses[-1:]}
        return {
            **self.told,
            **{name: short(loss[0], 2) if loss else None for name, loss in ends.items()},
            "still": ", ".join(f"`{name}`" for name in self.still),
            "steps": self.steps,
        }

    @property
    def has_fallen(self) -> bool:
        """The loss with ``.data`` is lower in the end."""
        return bool(self.bad.losses) and self.bad.losses[-1] < self.bad.losses[0]

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.place is Place.EVERYWHERE:
            return "nothing-leads-back"
        if self.actual == "trains_nothing":
            return "nothing-trains"
        if not self.has_fallen:
            return "stands-still-unseen"
        return "leaf-is-cut-off" if self.place is Place.FIRST else "passes-through"

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """Every parameter with its gradient and its change, both ways side by side."""
        columns = ("name", "layer", "grad_good", "grad_bad", "changed_good", "changed_bad")
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                good.name,
                good.type_name,
                words[f"gradient_{good.gradient}"],
                words[f"gradient_{bad.gradient}"],
                good.has_changed,
                bad.has_changed,
            )
            for good, bad in zip(self.good.parameters, self.bad.parameters, strict=True)
        )
        return ((columns, rows),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyWeightsReport(Explained):
    """The weight of our own layer, written into an ``nn.Linear``.

    Attributes:
        own_shape, linear_shape: Of the two weights.
        agrees: Both layers give the same output; None where torch refused.
        difference: The largest difference between the outputs; None where torch refused.
    """

    copying: Copying
    own_shape: tuple[int, int]
    linear_shape: tuple[int, int]
    agrees: bool | None
    difference: float | None

    @property
    def actual(self) -> str:
        """Whether both give the same, or torch's refusal."""
        if self.agrees is None:
            return self.outcome.error_type
        return "same" if self.agrees else "different"

    @property
    def is_drawn(self) -> bool:
        """Both shapes are there in any case."""
        return True

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "own_shape": str(self.own_shape),
            "linear_shape": str(self.linear_shape),
            "difference": self.difference,
        }

    @property
    def mentions(self) -> Told:
        """The facts, the difference in few digits."""
        difference = None if self.difference is None else short(self.difference, 2)
        return {**self.told, "difference": difference, "line": self.copying.written}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.agrees is None:
            return "shapes-do-not-fit"
        if not self.agrees:
            return "fits-and-is-wrong"
        if self.copying is Copying.TRANSPOSED:
            return "transposed-agrees"
        return "one-number-agrees" if self.own_shape == (1, 1) else "agrees-by-chance"
