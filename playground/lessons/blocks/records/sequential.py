"""Layers in a row: a batch goes through, and hooks note who was called."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Bounds, Settings
from playground.explained import Quiet, Table, Told
from playground.lessons.blocks.records.choices import Call
from playground.lessons.blocks.records.trees import Shape

LAYERS = ("nn.Linear(20, 256)", "nn.ReLU()", "nn.Linear(256, 10)")
FEATURES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One module that was called, in the order in which they finished.

    Attributes:
        name: As ``named_modules`` calls it; "" is the network itself.
    """

    name: str
    type_name: str
    input_shape: Shape
    output_shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSequentialReport(Quiet):
    """What came out, and which of the four modules ran their hook.

    Attributes:
        called: What the hooks noted.
        output_shape: None where torch refused.
        parameters: Numbers that the network can learn.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("module", "type", "input_shape", "output_shape")

    call: Call
    input_shape: Shape
    output_shape: Shape | None
    called: tuple[Called, ...]
    parameters: int

    @property
    def actual(self) -> Outcome | str:
        """Whose hooks ran."""
        if not self.outcome.ok:
            return self.outcome
        has_net = any(each.name == "" for each in self.called)
        has_layers = sum(each.name != "" for each in self.called) == len(LAYERS)
        return {(True, True): "all", (False, True): "layers", (True, False): "net_alone"}.get(
            (has_net, has_layers), "nobody"
        )

    @property
    def printed(self) -> str:
        """The shape of the result."""
        return "" if self.output_shape is None else f"torch.Size({list(self.output_shape)})"

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {"hooks_run": len(self.called), "parameters": self.parameters}

    @property
    def mentions(self) -> Told:
        """The facts, and the shapes."""
        return {
            **self.told,
            "width": self.input_shape[-1],
            "output": str(self.output_shape),
            "input": str(self.input_shape),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "width-differs"
        return "call-runs-hooks" if self.call == Call.NET else "forward-skips-hooks"

    @property
    def pictured(self) -> Told:
        """All shapes in order."""
        shapes = [self.input_shape, *(each.output_shape for each in self.called if each.name)]
        return {"shapes": " → ".join(map(str, shapes))}

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """What the hooks noted."""
        del words
        rows = tuple(
            (each.name or "net", each.type_name, str(each.input_shape), str(each.output_shape))
            for each in self.called
        )
        return ((self.COLUMNS, rows),) if rows else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSequential(Settings[CallSequentialReport]):
    """Send a batch through three layers in a row, with a hook on every module."""

    BOUNDS: ClassVar[Bounds] = {
        "batch": {"least": 1, "most": 64},
        "width": {"least": 1, "most": 64},
        "seed": {"least": 0, "most": 999},
    }

    call: Call = Call.FORWARD
    batch: int = 2
    width: int = FEATURES
    seed: int = 0
