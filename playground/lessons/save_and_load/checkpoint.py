"""Step "checkpoint": the state that a checkpoint needs to resume training exactly."""

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from playground.lessons.save_and_load import drawing
from playground.steps import Answer, Files, Labels, Picture, Run, Step, Words, fix_field, number
from playground.units import format_bytes, short

FILE = "checkpoint.pt"
AFTER = 15  # epochs after the checkpoint
MIN_LOSS = 1e-6
LEFT, TOP, HEIGHT = 34.0, 30.0, 220.0  # of the picture
PREPARATION = """\
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
X = torch.randn(64, 2)
y = X[:, :1] * X[:, 1:]

def make():
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    return net, {optimizer}

def train(net, optimizer, epochs):
    losses = []
    for _ in range(epochs):
        total = 0.0
        for batch in torch.randperm(64).split(16):
            loss = F.mse_loss(net(X[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total / 4)
    return losses

def save_checkpoint(net, optimizer):
    torch.save(
        {{
            "model": net.state_dict(),
            "optimizer": optimizer.state_dict(),
            "rng": torch.get_rng_state(),
        }},
        "checkpoint.pt",
    )
"""


class Optimizer(StrEnum):
    """The constructor of the optimizer; the value is the code that the program shows."""

    ADAM = "torch.optim.Adam(net.parameters(), lr=0.05)"
    MOMENTUM = "torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)"
    SGD = "torch.optim.SGD(net.parameters(), lr=0.1)"


class ModelState(StrEnum):
    """The line that restores the model; the value is the code that the program shows."""

    LOADED = 'net.load_state_dict(checkpoint["model"])'
    LEFT_OUT = '# net.load_state_dict(checkpoint["model"])'


class OptimizerState(StrEnum):
    """The line that restores the optimizer; the value is the code that the program shows."""

    LOADED = 'optimizer.load_state_dict(checkpoint["optimizer"])'
    LEFT_OUT = '# optimizer.load_state_dict(checkpoint["optimizer"])'


class RandomState(StrEnum):
    """The line that restores the random state; the value is the code that the program shows."""

    LOADED = 'torch.set_rng_state(checkpoint["rng"])'
    LEFT_OUT = '# torch.set_rng_state(checkpoint["rng"])'


class Losses(NamedTuple):
    """Data of the picture: the loss of each epoch, and the number of epochs before the file."""

    before: tuple[float, ...]
    uninterrupted: tuple[float, ...]
    resumed: tuple[float, ...]


class Checkpoint(Step):
    """Train, save and train on; then resume from the file, as another process would."""

    optimizer: Optimizer = Optimizer.ADAM
    epochs: int = number(1, 30, default=10)
    model_state: ModelState = ModelState.LOADED
    optimizer_state: OptimizerState = OptimizerState.LEFT_OUT
    random_state: RandomState = RandomState.LOADED
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        """Build two runs from one checkpoint; data, network and loop are folded."""
        restored = (
            (each.LOADED.value for each in (ModelState, OptimizerState, RandomState))
            if self.is_fixed
            else (w.model_state, w.optimizer_state, w.random_state)
        )
        return "\n".join(
            [
                f"{PREPARATION.format(optimizer=self.optimizer.value)}{w.folded}",
                "net, optimizer = make()",
                f"losses = train(net, optimizer, {w.epochs})",
                "save_checkpoint(net, optimizer)",
                f"uninterrupted = train(net, optimizer, {AFTER})",
                "torch.manual_seed(1)  # the power failed: a new process",
                "net, optimizer = make()",
                f'checkpoint = torch.load("{FILE}")',
                *restored,
                f"resumed = train(net, optimizer, {AFTER})",
                f"print(resumed == uninterrupted){w.asked}",
            ]
        )

    def files(self) -> Files:
        return Files(downloads=(FILE,))

    def answer(self, run: Run) -> Answer:
        uninterrupted, resumed = run["uninterrupted"], run["resumed"]
        state = run["checkpoint"]["optimizer"]["state"]
        is_same = resumed == uninterrupted
        pairs = zip(resumed, uninterrupted, strict=True)
        difference = max(abs(one - other) for one, other in pairs)
        return Answer(
            prediction=run.printed.strip(),
            explanation=self.explanation(is_same=is_same),
            facts={
                "difference": short(difference),
                "state_entries": sum(
                    value is not None for each in state.values() for value in each.values()
                ),
                "file_bytes": format_bytes(Path(FILE).stat().st_size),
            },
            placeholders={
                "before": self.epochs,
                "next": self.epochs + 1,
                "last": self.epochs + AFTER,
                "loss": short(uninterrupted[-1]),
                "loss_resumed": short(resumed[-1]),
            },
            fix=None if is_same else self.tried_fix(),
            is_silent_failure=not is_same,
            data=Losses(tuple(run["losses"]), tuple(uninterrupted), tuple(resumed)),
        )

    def explanation(self, *, is_same: bool) -> str:
        is_whole = self.is_fixed or "LEFT_OUT" not in {
            self.model_state.name,
            self.optimizer_state.name,
            self.random_state.name,
        }
        if is_same:
            return "nothing-lost" if is_whole else "nothing-to-lose"
        if self.model_state is ModelState.LEFT_OUT:
            return "lost-model"
        if self.optimizer_state is OptimizerState.LEFT_OUT and self.optimizer is not Optimizer.SGD:
            return "lost-optimizer"
        return "lost-order"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer else None


def height_of(loss: float) -> float:
    """Return the vertical position of a loss on a logarithmic axis."""
    return math.log10(max(loss, MIN_LOSS)) if math.isfinite(loss) else 0.0


def ticks(low: float, high: float) -> list[float]:
    """Return round losses between two powers of ten: 1, 2 or 5 of each, or finer ones.

    >>> ticks(-1, 0)
    [0.1, 0.2, 0.5, 1.0]
    """
    shown: list[float] = []
    for steps in ((1, 2, 5), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8)):
        powers = range(math.floor(low) - 1, math.ceil(high) + 1)
        every = [float(f"{each}e{power}") for power in powers for each in steps]
        shown = [each for each in every if low - 1e-9 <= math.log10(each) <= high + 1e-9]
        if len(shown) > 1:
            break
    return shown


def draw(losses: Losses, labels: Labels) -> Picture:
    """Draw the uninterrupted run as a wide grey line, and the resumed run on it."""
    whole = (*losses.before, *losses.uninterrupted)
    heights = [height_of(each) for each in (*whole, *losses.resumed)]
    low, high = min(heights) - 0.05, max(heights) + 0.05
    bottom, last, before = TOP + HEIGHT, len(whole), len(losses.before)

    def x(epoch: float) -> float:
        return LEFT + (drawing.WIDTH - LEFT - 8) * (epoch - 1) / max(last - 1, 1)

    def y(loss: float) -> float:
        return TOP + HEIGHT * (high - height_of(loss)) / (high - low)

    def curve(first: int, shown: Sequence[float], colour: str, width: float, more: str = "") -> str:
        points = " ".join(f"{x(first + i):.1f},{y(each):.1f}" for i, each in enumerate(shown))
        return (
            f'<polyline points="{points}" fill="none" stroke-width="{width}"'
            f' stroke-linejoin="round" style="stroke:{colour}"{more}/>'
        )

    is_same = losses.resumed == losses.uninterrupted
    colour = drawing.SUCCESS if is_same else drawing.TROUBLE
    parts = [drawing.text(0, 14, labels["loss"], ink=drawing.MUTED, size=12)]
    for tick in ticks(low, high):
        parts.append(drawing.text(LEFT - 6, y(tick) + 4, f"{tick:g}", anchor="end", size=12))
        parts.append(f'<path d="M{LEFT:g} {y(tick):.1f} H432" style="stroke:var(--tp-line)"/>')
    for epoch in sorted({1, before, last}):
        parts.append(drawing.text(x(epoch), bottom + 18, f"{epoch}", anchor="middle", size=12))
    epochs = labels["epoch"]
    parts.append(drawing.text(drawing.WIDTH / 2, bottom + 36, epochs, anchor="middle", size=12))
    anchor = "start" if before < 0.6 * last else "end"
    parts += [
        f'<path d="M{x(before):.1f} {TOP:g} V{bottom:g}" stroke-dasharray="2 4"'
        ' style="stroke:var(--tp-accent)" stroke-width="1.5"/>',
        drawing.text(x(before), TOP - 4, labels["file"], anchor=anchor, ink=drawing.ACCENT),
        curve(1, whole, drawing.MUTED, 6, ' opacity="0.45"'),
        curve(before, (losses.before[-1], *losses.resumed), colour, 2.4),
        drawing.text(LEFT, bottom + 58, f"━ {labels['uninterrupted']}", ink=drawing.MUTED),
        drawing.text(LEFT + 190, bottom + 58, f"━ {labels['resumed']}", ink=colour),
    ]
    return drawing.picture(bottom + 68, *parts)


def loses_nothing(step: Checkpoint, answer: Answer) -> bool:
    """Check that the optimizer's state was left out without any effect."""
    is_left_out = step.optimizer_state is OptimizerState.LEFT_OUT and not step.is_fixed
    return is_left_out and answer.prediction == "True"


def goes_on_as_before(step: Checkpoint, answer: Answer) -> bool:
    """Check that the run with Adam resumes bit for bit."""
    return step.optimizer is Optimizer.ADAM and answer.prediction == "True"
