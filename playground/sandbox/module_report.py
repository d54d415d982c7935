"""The report of a module that a cell has made: its parameters, a trace, its gradients."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.modules.trace_types import ForwardTrace, Shape


@unique
class GradientVerdict(StrEnum):
    """The result of comparing a parameter's gradient with a finite difference."""

    MATCHES = "matches"  # autograd and the finite difference agree
    DIFFERS = "differs"  # they do not
    CUT = "cut"  # the output depends on it, but no gradient arrives: detach, .data, no_grad
    ZERO = "zero"  # the gradient is zero here, and so is the difference
    UNUSED = "unused"  # the output does not depend on it
    FROZEN = "frozen"  # requires_grad is False
    NOT_CHECKED = "not_checked"


@unique
class InputOrigin(StrEnum):
    """The origin of the input of a trace."""

    CALLED = "called"  # the cell has called the module with it
    VARIABLE = "variable"  # a tensor of the cell
    GUESSED = "guessed"  # inferred from the first layer


@unique
class Missing(StrEnum):
    """The reason why there is no trace, or no gradient check."""

    NEEDS_ARGUMENTS = "needs_arguments"  # there is no instance, and the class takes arguments
    NEEDS_INPUT = "needs_input"  # it was not called, and no input could be inferred
    OUT_OF_TIME = "out_of_time"  # the cell itself has used most of the computing time
    LAZY = "lazy"  # parameters have no shapes before the first batch
    TOO_LARGE = "too_large"
    RANDOM = "random"  # two calls with the same random numbers give different outputs
    FAILED = "failed"  # it cannot be copied, run in float64, or looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRow:
    """One parameter.

    Attributes:
        gradient: Along a random direction, by autograd; None where it was not computed. So is
            ``difference``, the central difference of the output.
    """

    name: str
    shape: Shape
    dtype: str
    device: str
    verdict: GradientVerdict = GradientVerdict.NOT_CHECKED
    gradient: float | None = None
    difference: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleReport:
    """One module of the cell.

    Attributes:
        name: The variable; the class where no variable holds an instance.
        type_name: Its class.
        text: What ``print`` writes for it.
        total_parameters: Values in all its parameters, each counted once.
        parameters: In the order of ``named_parameters()``.
        parameters_left_out: How many more there are.
        trace: One forward; None where there was none.
        rows_left_out: How many rows of the trace are not here.
        input_origin: Where the input came from.
        missing: Why there is no trace.
        gradient_missing: Why gradients were not checked.
    """

    MAX_MODULES: ClassVar[int] = 6
    MAX_PARAMETERS: ClassVar[int] = 48  # rows of one module
    MAX_ROWS: ClassVar[int] = 60  # of one trace
    MAX_CHARACTERS: ClassVar[int] = 4_000
    MAX_LISTED: ClassVar[int] = 16  # ties, warnings, uncalled modules, items of a container
    MAX_PATH: ClassVar[int] = 500  # letters

    name: str
    type_name: str
    text: str = ""
    total_parameters: int = 0
    parameters: tuple[ParameterRow, ...] = ()
    parameters_left_out: int = 0
    trace: ForwardTrace | None = None
    rows_left_out: int = 0
    input_origin: InputOrigin | None = None
    missing: Missing | None = None
    gradient_missing: Missing | None = None

    def __post_init__(self) -> None:
        """Refuse more than a page shows."""
        if len(self.parameters) > self.MAX_PARAMETERS:
            raise ValueError("more parameters than are shown")
        trace = self.trace
        if trace is None:
            return
        if len(trace.rows) > self.MAX_ROWS:
            raise ValueError("more calls than are shown")
        if max(map(len, (trace.tie_groups, trace.warnings, trace.uncalled))) > self.MAX_LISTED:
            raise ValueError("more remarks than are shown")
        if any(len(row.path) > self.MAX_PATH for row in trace.rows):
            raise ValueError("a longer path than is shown")
