"""A loop in forward: how often it runs, and when it does not end."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Conditions, Settings
from playground.explained import Quiet, Told
from playground.lessons.blocks.records.choices import Infinite

MOST_LOOPS = 2000  # where FixedHiddenMLP stops; finite float32 numbers get there within 160
EXPONENTS = range(-4, 39, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often the loop ran.

    Attributes:
        exponent: The batch was multiplied by 10 to this power.
        loops: As far as it was counted.
        has_ended: It ended by itself, before ``MOST_LOOPS``.
    """

    exponent: int
    loops: int
    has_ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLoopsReport(Quiet):
    """How often the loop ran for this batch, and for all scales.

    Attributes:
        outcome: Of the call that was stopped after ``MOST_LOOPS`` rounds, or ended before.
        start: The sum before the loop, ``inf`` and ``nan`` in words.
        result: What came out, as Python writes it; None where the loop was stopped.
        curve: Scales from end to end, with finite numbers everywhere.
    """

    infinite: Infinite
    exponent: int
    loops: int
    has_ended: bool
    start: str
    result: str | None
    curve: tuple[Counted, ...]

    @property
    def actual(self) -> str:
        """How often, roughly."""
        if not self.has_ended:
            return "endless"
        if self.loops == 0:
            return "not_once"
        return "up_to_ten" if self.loops <= 10 else "more"

    @property
    def printed(self) -> str:
        """The result."""
        return self.result or ""

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "loops": self.loops if self.has_ended else None,
            "start": self.start,
            "stopped_after": None if self.has_ended else self.loops,
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.has_ended:
            return "infinity-halved"
        if self.start == "nan":
            return "nan-is-not-greater"
        if self.start == "inf":
            return "only-the-sum-overflows"
        return "halves" if self.loops else "small-enough"

    @property
    def mentions(self) -> Told:
        """The facts, and the bound."""
        return {"loops": self.loops, "start": self.start, "most": MOST_LOOPS}

    @property
    def pictured(self) -> Told:
        """The ends of the curve."""
        ended = [each for each in self.curve if each.has_ended]
        return {
            "least": min((each.loops for each in ended), default=0),
            "most": max((each.loops for each in ended), default=0),
            "endless": len(self.curve) - len(ended),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLoops(Settings[CountLoopsReport]):
    """Send a batch of a scale through FixedHiddenMLP, and count the rounds of its loop."""

    BOUNDS: ClassVar[Bounds] = {
        "exponent": {"least": EXPONENTS[0], "most": EXPONENTS[-1]},
        "seed": {"least": 0, "most": 999},
    }
    ONLY_WITH: ClassVar[Conditions] = {"exponent": ("infinite", (Infinite.NOWHERE,))}

    infinite: Infinite = Infinite.NOWHERE
    exponent: int = 0
    seed: int = 0
