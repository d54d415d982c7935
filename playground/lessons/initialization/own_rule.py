"""Step on a custom initializer: draw uniformly, and keep only large values."""

import math
from enum import StrEnum

from playground.lessons.initialization.histogram import draw, histogram, measured
from playground.modules.distributions import Distribution, Fixed, Kept
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field, number, seed

SHARES = {0.0: "none", 0.25: "quarter", 0.5: "half", 0.75: "three_quarters", 1.0: "all"}
CHANCE = 4  # standard errors


class Spelling(StrEnum):
    """The expression that is changed in place; the value is the code."""

    DATA = "m.weight.data"
    PLAIN = "m.weight"


class OwnRule(Step):
    """Draw from -bound to bound, and set values with a magnitude below the threshold to 0."""

    bound: float = number(0.1, 100.0, default=10.0)
    spelling: Spelling = Spelling.DATA
    threshold: float = number(0.0, 100.0, default=5.0)
    seed: int = seed()
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        spelling = w.mark("spelling", Spelling.DATA) if self.is_fixed else w.spelling
        return f"""
            import torch
            from torch import nn
            {w.folded}
            def my_init(m):
                if type(m) == nn.Linear:
                    nn.init.uniform_(m.weight, -{self.bound!r}, {w.bound})
                    {spelling} *= {spelling}.abs() >= {w.threshold}

            torch.manual_seed({w.seed})
            net = nn.Sequential(nn.Linear(20, 256), nn.ReLU())
            net.apply(my_init)
            print((net[0].weight == 0).float().mean()){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        if not run.outcome.ok:
            return Answer(
                prediction=run.outcome.error_type,
                explanation="leaf-in-place",
                fix=self.tried_fix(),
            )
        sample = measured(run["net"][0].weight, self.distribution)
        zeros = sample.zero_fraction
        expected = min(self.threshold / self.bound, 1.0)
        kept = f"{(1 - expected) / 2:.4g}"
        return Answer(
            prediction=answer_of(zeros, sample.count),
            explanation="all-zero" if expected == 1 else "own-rule",
            facts={
                "zeros": zeros,
                "expected_zeros": expected,
                "std": sample.std,
                "expected_std": self.distribution.std,
            },
            placeholders={
                "bound": f"{self.bound:g}",
                "threshold": f"{self.threshold:g}",
                "share": f"{zeros:.1%}",
                "expected_share": f"{expected:.4g}",
                "kept": kept,
            },
            data=histogram("net[0].weight", sample, self.distribution),
        )

    @property
    def distribution(self) -> Distribution:
        """Expected distribution of the weights."""
        if self.threshold >= self.bound:
            return Fixed(((0.0, 1.0),))
        return Kept(self.bound, self.threshold)

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return draw([answer.data]) if answer and answer.data else None


def answer_of(zeros: float, count: int) -> str:
    """Return the name of the share of zeros, up to sampling error."""
    for share, answer in SHARES.items():
        if abs(zeros - share) <= CHANCE * math.sqrt(share * (1 - share) / count):
            return answer
    return "other"


def three_quarters_zero(step: OwnRule, answer: Answer) -> bool:
    """Return whether three quarters of the weights are 0."""
    del step
    return answer.prediction == "three_quarters"
