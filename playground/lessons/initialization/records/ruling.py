"""A rule that torch.nn.init does not have."""

import math
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_within
from playground.explained import Told
from playground.lessons.initialization.records.arguments import SEED_BOUNDS, check_seed
from playground.lessons.initialization.records.measured import Measured
from playground.units import short

SHARES = {0.0: "none", 0.25: "quarter", 0.5: "half", 0.75: "three_quarters", 1.0: "all"}
CHANCE = 4  # standard errors


@unique
class Spelling(StrEnum):
    """How the values are changed in place."""

    DATA = "data"
    NO_GRAD = "no_grad"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowOwnRuleReport(Measured):
    """What became of a weight under a rule of our own."""

    spelling: Spelling
    bound: float
    threshold: float

    @property
    def actual(self) -> str:
        """What share of the values is zero now, or torch's refusal."""
        if not self.outcome.ok or self.sample is None or self.zero_fraction is None:
            return self.outcome.error_type
        for share, answer in SHARES.items():
            room = CHANCE * math.sqrt(share * (1 - share) / self.sample.count)
            if abs(self.zero_fraction - share) <= room:
                return answer
        return "other"

    @property
    def told(self) -> Told:
        """The facts of the step; fans have no say in it."""
        return {name: value for name, value in self.found.items() if not name.startswith("fan")}

    @property
    def mentions(self) -> Told:
        """The numbers of the rule."""
        return {
            **self.spoken,
            "bound": short(self.bound, 4),
            "threshold": short(self.threshold, 4),
            "expected_share": f"{min(self.threshold / self.bound, 1):.1%}",
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        return "own-rule" if self.outcome.ok else "leaf-in-place"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowOwnRule(Settings["FollowOwnRuleReport"]):
    """Draw from -bound to bound, and keep what is at least the threshold in size."""

    BOUNDS: ClassVar[Bounds] = {
        **SEED_BOUNDS,
        "bound": {"least": 0.1, "most": 100.0},
        "threshold": {"least": 0.0, "most": 100.0},
    }

    bound: float = 10.0
    threshold: float = 5.0
    spelling: Spelling = Spelling.DATA
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_within("bound", self.bound, **self.BOUNDS["bound"])
        check_within("threshold", self.threshold, **self.BOUNDS["threshold"])
        check_seed(self.seed)
