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
        norms = []  # at each test of the condition, the last one included
        with run["torch"].no_grad():
            X = net.linear(F.relu(net.linear(run["X"]) @ net.rand_weight + 1))
            for _ in range(net.rounds + 1):
                norms.append(X.abs().sum().item())
                X = X / 2
        start = norms[0]
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
            data=(tuple(map(str, [*norms[:-1][: MAX_BARS - 1], norms[-1]])), net.rounds),
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
        """Draw the sum at each test of the condition as a bar; of many, the first and the last."""
        if answer is None:
            return None
        norms, rounds = tuple(map(float, answer.data[0])), answer.data[1]
        longest = max(filter(math.isfinite, norms), default=1.0)
        step = 190 / len(norms)
        parts = [text_at(8, 16, labels["sum"], MUTED, "start")]
        for index, norm in enumerate(norms):
            is_finite = math.isfinite(norm)
            share, colour = (norm / longest, ACCENT) if is_finite else (1.0, TROUBLE)
            y = 26 + step * index
            width = max((WIDTH - 110) * share, 2)
            parts.append(
                f'<rect data-id="round-{index}" x="8" y="{y:.1f}" width="{width:.1f}"'
                f' height="{min(step - 2, 20):.1f}" rx="3" style="fill:{colour}"/>'
            )
        shown, last = f"{norms[0]:.4g}", norms[-1]
        notes = [(38.0, shown)]
        if rounds:
            notes.append((221 - step / 2, f"{last:.3g} {'≤' if last <= 1 else '>'} 1"))
        if rounds >= len(norms):  # not every bar has room
            notes.append((125, "⋮"))
        for y, note in notes:
            parts.append(text_at(WIDTH - 4, y, note, INK, "end", is_code=True))
        parts.append(f'<path d="M8 22 V222" style="stroke:{LINE}"/>')
        return Picture(svg_of(parts, 226), {"bars": len(norms), "shown": shown})


def ends_after_a_hundred_rounds(step: LoopInForward, answer: Answer) -> bool:
    """Check that the loop ran at least a hundred times and ended by itself."""
    del step
    rounds = answer.facts["rounds"]
    return isinstance(rounds, int) and rounds >= 100
