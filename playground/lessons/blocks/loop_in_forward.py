"""Step "loop_in_forward": a loop whose number of rounds depends on the data."""

import math
from enum import StrEnum

from playground.lessons.blocks.pictures import (
    ACCENT,
    INK,
    LINE,
    MUTED,
    TROUBLE,
    WIDTH,
    svg_of,
    text_at,
)
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

MAX_ROUNDS = 2000  # where the program gives up; finite float32 numbers need fewer than 160
MAX_BARS = 24
MIN_EXPONENT, MAX_EXPONENT = -4, 38


class Infinite(StrEnum):
    """A line that makes one number infinite; the value is the code that the program shows."""

    NOWHERE = "pass"
    INPUT = "X[0, 0] = torch.inf"
    CONSTANT = "net.rand_weight[1, 0] = torch.inf"


class LoopInForward(Step):
    """Send a batch through FixedHiddenMLP, scaled so that its loop runs more or less often."""

    exponent: int = number(MIN_EXPONENT, MAX_EXPONENT, default=0)
    infinite: Infinite = Infinite.NOWHERE

    def code(self, w: Words) -> str:
        """Build the forward pass of FixedHiddenMLP, with a bound on its loop."""
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            class FixedHiddenMLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rand_weight = torch.rand(20, 20)
                    self.linear = nn.Linear(20, 20)

            {w.folded}
                def forward(self, X):
                    X = F.relu(self.linear(X) @ self.rand_weight + 1)
                    X, self.rounds = self.linear(X), 0
                    while X.abs().sum() > 1 and self.rounds < {MAX_ROUNDS}:{w.asked}
                        X, self.rounds = X / 2, self.rounds + 1
                    return X.sum()

            torch.manual_seed(2)
            net = FixedHiddenMLP()
            X = torch.rand(2, 20) * 1e{w.exponent}
            {w.infinite}
            print(net(X).item(), net.rounds)
        """

    def answer(self, run: Run) -> Answer:
        """Count the rounds, and read the sum at the start of the loop."""
        net, F = run["net"], run["F"]
        with run["torch"].no_grad():
            hidden = F.relu(net.linear(run["X"]) @ net.rand_weight + 1)
            start = net.linear(hidden).abs().sum().item()
        has_ended = net.rounds < MAX_ROUNDS
        explanation = self.explanation(start, net.rounds)
        return Answer(
            prediction=self.prediction(net.rounds),
            explanation=explanation,
            facts={
                "start": f"{start:.4g}",
                "rounds": net.rounds if has_ended else None,
                "stopped_after": None if has_ended else net.rounds,
            },
            is_silent_failure=explanation in ("infinity-halved", "nan-is-not-greater"),
            data=(str(start), net.rounds),
        )

    def prediction(self, rounds: int) -> str:
        """Return the rough number of rounds."""
        if rounds >= MAX_ROUNDS:
            return "endless"
        if rounds == 0:
            return "not_once"
        return "up_to_ten" if rounds <= 10 else "more"

    def explanation(self, start: float, rounds: int) -> str:
        if rounds >= MAX_ROUNDS:
            return "infinity-halved"
        if math.isnan(start):
            return "nan-is-not-greater"
        if math.isinf(start):
            return "only-the-sum-overflows"
        return "halves"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the sum before each round as a bar, half as long as the one before."""
        if answer is None:
            return None
        start, rounds = float(answer.data[0]), answer.data[1]
        is_finite = math.isfinite(start)
        bars = min(rounds, MAX_BARS) + 1 if is_finite else 6
        step = 190 / bars
        parts = []
        for index in range(bars):
            share = 0.5**index if is_finite and start > 1 else 1.0
            colour = ACCENT if is_finite else TROUBLE
            y = 26 + step * index
            width = max((WIDTH - 110) * share, 2)
            parts.append(
                f'<rect data-id="round-{index}" x="8" y="{y:.1f}" width="{width:.1f}"'
                f' height="{min(step - 2, 20):.1f}" rx="3" style="fill:{colour}"/>'
            )
        shown = f"{start:.4g}"
        parts.append(text_at(8, 16, labels["sum"], MUTED, "start"))
        parts.append(text_at(WIDTH - 4, 38, shown, INK, "end", is_code=True))
        if is_finite and rounds:
            last = f"{start / 2**rounds:.3g} ≤ 1"
            parts.append(
                text_at(WIDTH - 4, 26 + step * bars - step / 2 + 5, last, INK, "end", is_code=True)
            )
        parts.append(f'<path d="M8 22 V222" style="stroke:{LINE}"/>')
        return Picture(svg_of(parts, 226), {"bars": bars, "shown": shown})


def ends_after_a_hundred_rounds(step: LoopInForward, answer: Answer) -> bool:
    """Check that the loop ran at least a hundred times and ended by itself."""
    del step
    rounds = answer.facts["rounds"]
    return isinstance(rounds, int) and rounds >= 100
