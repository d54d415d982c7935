"""A model to a file and back: built again in code, loaded, and the outputs compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Settings, check_within
from playground.explained import Explained, Told
from playground.lessons.save_and_load.records.networks import Own, read
from playground.lessons.save_and_load.records.numbers import Grid
from playground.modules.spec import Network
from playground.units import format_bytes, short

MOST_SEED = 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreModelReport(Explained):
    """A network's outputs, and those of a clone that was built anew and loaded.

    Attributes:
        loads, evaluates: Which of the two lines the program has.
        matched: What ``load_state_dict`` returned, as it prints; empty where it was not called.
        keys: How many keys the file has.
        file_bytes: The file.
        equal_parameters: Every tensor of both state_dicts is equal.
        output, cloned_output: The first rows and columns of both outputs.
        equal_numbers: How many outputs are equal, bit for bit.
        numbers: How many there are.
        difference: The largest.
        training_layers: Types of layers that do something else while training.
        unsaved: Names of tensors that the network holds and its state_dict does not.
    """

    loads: bool
    evaluates: bool
    matched: str
    keys: int
    file_bytes: int
    equal_parameters: bool
    output: Grid
    cloned_output: Grid
    equal_numbers: int
    numbers: int
    difference: float
    training_layers: tuple[str, ...]
    unsaved: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """All outputs are equal."""
        return self.outcome.ok and self.equal_numbers == self.numbers

    @property
    def actual(self) -> str:
        """How many outputs are equal, or torch's refusal."""
        if not self.outcome.ok:
            return self.outcome.error_type
        if self.is_equal:
            return "all"
        return "some" if self.equal_numbers else "none"

    @property
    def printed(self) -> str:
        """What the program prints."""
        if not self.outcome.ok:
            return ""
        return "\n".join(filter(None, (self.matched, str(self.is_equal))))

    @property
    def is_drawn(self) -> bool:
        """There are outputs to draw."""
        return self.outcome.ok and bool(self.output)

    @property
    def told(self) -> Told:
        """The facts of the step."""
        if not self.outcome.ok:
            return {}
        return {
            "equal_outputs": f"{self.equal_numbers} / {self.numbers}",
            "difference": short(self.difference),
            "equal_parameters": self.equal_parameters,
            "keys": self.keys,
            "file_bytes": format_bytes(self.file_bytes),
        }

    @property
    def mentions(self) -> Told:
        """The facts, the layers and the tensors that explain them."""
        return {
            **self.told,
            "equal_numbers": self.equal_numbers,
            "numbers": self.numbers,
            "layers": ", ".join(self.training_layers) or "—",
            "unsaved": ", ".join(self.unsaved) or "—",
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-outputs"
        if self.is_equal:
            if not self.loads:
                return "equal-without-file"
            return "all-equal" if self.evaluates else "eval-had-nothing-to-do"
        if not self.loads:
            return "own-numbers"
        if self.unsaved:
            return "not-in-the-file"
        return "never-the-same" if self.evaluates else "still-training"

    @property
    def pictured(self) -> Told:
        """How many are equal."""
        return self.mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreModel(Settings[RestoreModelReport]):
    """Save a model's parameters, build the model anew, load them, and compare the outputs.

    Args:
        own: One of the lesson's own networks.
        network: Another one, as JSON; empty for the lesson's own.
        loads: Whether the clone is given the file.
        evaluates: Whether ``clone.eval()`` is called. ``net.eval()`` is, in any case.
        seed: Of the network; the clone is built with the next one.
    """

    uses_hardware: ClassVar[bool] = False
    BOUNDS: ClassVar[Mapping[str, Mapping[str, int]]] = {"seed": {"least": 0, "most": MOST_SEED}}

    own: Own = Own.MLP
    network: str = ""
    loads: bool = True
    evaluates: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        if self.network != "":
            read(self.network)
        check_within("seed", self.seed, **self.BOUNDS["seed"])

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network) if self.network else self.own.network
