"""One gradient, before and after it was clipped."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings
from playground.explained import Told
from playground.lessons.training.records.choices import SEEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGradientReport:
    """One gradient before and after it was clipped."""

    most: float
    before: float
    after: float
    cosine: float

    @property
    def actual(self) -> str:
        """What became of its norm."""
        return "unchanged" if self.after == self.before else "the_limit"

    @property
    def why(self) -> str:
        """The reason that fits."""
        return "not_clipped" if self.actual == "unchanged" else "clipped"

    @property
    def told(self) -> Told:
        """What the reason mentions."""
        return {
            "most": f"{self.most:g}",
            "before": f"{self.before:.3g}",
            "after": f"{self.after:.3g}",
            "cosine": f"{self.cosine:.4f}",
        }

    @property
    def facts(self) -> Told:
        """What is shown of it."""
        return {f"norm_{name}": self.told[name] for name in ("before", "after")} | {
            "cosine": self.told["cosine"]
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipGradient(Settings[ClipGradientReport]):
    """Take the gradient of a loss that was multiplied by a factor, and clip it."""

    BOUNDS: ClassVar[Bounds] = {
        "factor": {"least": 1, "most": 1000},
        "gradient_clip": {"least": 0.01, "most": 10.0},
        "seed": SEEDS,
    }
    factor: int = 1
    gradient_clip: float = 1.0
    seed: int = 0
