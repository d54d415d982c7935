"""Step on training a network with a shared layer, beside one with two copies of it."""

from enum import StrEnum
from typing import NamedTuple

from playground.steps import Answer, Labels, Picture, Run, Step, Words, number, seed


class Second(StrEnum):
    """The layer in the second place; the value is the code that the program shows."""

    SHARED = "shared"
    DEEPCOPY = "copy.deepcopy(shared)"


class Curves(NamedTuple):
    """After each epoch: the loss, and the norm of the difference of both weights."""

    losses: tuple[float, ...]
    gaps: tuple[float, ...]


class SharedLayerTraining(Step):
    """Train, and compare the weights of the two places."""

    second: Second = Second.SHARED
    epochs: int = number(0, 100, default=40)
    seed: int = seed()

    def code(self, w: Words) -> str:
        return f"""
            import copy
            import torch
            import torch.nn.functional as F
            from torch import nn

            torch.manual_seed({w.seed})
            X = torch.randn(64, 4)
            y = torch.sin(X[:, :1] + X[:, 1:2])
            losses, gaps = [], []
            {w.folded}
            shared = nn.Linear(8, 8)
            net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), shared, nn.Tanh(),
                                {w.second}, nn.Tanh(), nn.Linear(8, 1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range({w.epochs}):
                loss = F.mse_loss(net(X), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                gaps.append((net[2].weight - net[4].weight).norm().item())
            print(torch.equal(net[2].weight, net[4].weight)){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        net, losses, gaps = run["net"], run["losses"], run["gaps"]
        is_equal = run.printed.strip() == "True"
        is_tied = net[2].weight is net[4].weight
        return Answer(
            prediction=str(is_equal),
            explanation="stays-tied" if is_tied else "still-equal" if is_equal else "drifts-apart",
            facts={
                "parameters": sum(each.numel() for each in net.parameters()),
                "first_loss": f"{losses[0]:.3g}" if losses else None,
                "last_loss": f"{losses[-1]:.3g}" if losses else None,
                "gap": f"{gaps[-1]:.3g}" if gaps else None,
            },
            placeholders={"epochs": self.epochs},
            data=Curves(tuple(losses), tuple(gaps)),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        curves = answer.data if answer else Curves((), ())
        lines = {
            "loss": ("var(--tp-muted)", curves.losses),
            "gap": ("var(--tp-accent)", curves.gaps),
        }
        highest = max((*curves.losses, *curves.gaps, 1.0))
        parts = ['<path d="M34 30 V186 H436" fill="none" style="stroke:var(--tp-line)"/>']
        for value in (0.0, highest):
            y = 186 - 150 * value / highest
            parts.append(
                f'<text x="28" y="{y + 4:g}" font-size="12" text-anchor="end"'
                f' style="fill:var(--tp-muted)">{value:.1f}</text>'
            )
        for place, (name, (colour, values)) in enumerate(lines.items()):
            x = 40 + 130 * place
            parts.append(
                f'<path d="M{x} 12 h22" style="stroke:{colour}" stroke-width="2.5"/>'
                f'<text x="{x + 28}" y="17" font-size="13" style="fill:var(--tp-ink)">'
                f"{labels[f'line_{name}']}</text>"
            )
            points = " ".join(
                f"{34 + 400 * (index + 1) / len(values):g},{186 - 150 * value / highest:g}"
                for index, value in enumerate(values)
            )
            parts.append(
                f'<polyline data-id="line-{name}" points="{points}" fill="none" stroke-width="2.5"'
                f' style="stroke:{colour}"/>'
            )
        parts.append(
            '<text x="436" y="204" font-size="12" text-anchor="end" style="fill:var(--tp-muted)">'
            f"{labels['epochs']}: {self.epochs}</text>"
        )
        svg = f'<svg viewBox="0 0 440 210">{"".join(parts)}</svg>'
        ends = {name: f"{values[-1]:.3g}" if values else "—" for name, (_, values) in lines.items()}
        return Picture(svg, {"loss_end": ends["loss"], "gap_end": ends["gap"]})


def learns_with_one_weight(step: SharedLayerTraining, answer: Answer) -> bool:
    """Return whether the tied network has halved its loss."""
    losses = answer.data.losses
    return step.second is Second.SHARED and len(losses) > 1 and losses[-1] < losses[0] / 2
