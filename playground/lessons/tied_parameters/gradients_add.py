"""Step on the gradient of a tied weight: the sum over its uses."""

import html
from typing import Any

from playground.steps import Answer, Labels, Picture, Run, Step, Words, number, seed

Row = tuple[str, ...]


class GradientsAdd(Step):
    """Run a backward pass through one layer used several times, and through untied copies of it."""

    uses: int = number(2, 5, default=2)
    seed: int = seed()

    def code(self, w: Words) -> str:
        return f"""
            import copy
            import torch
            from torch import nn

            torch.manual_seed({w.seed}){w.folded}
            first, shared, last = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
            copies = [copy.deepcopy(shared) for _ in range({w.uses})]
            X = torch.randn(8, 3)

            for layers in ([shared] * {w.uses}, copies):
                H = torch.tanh(first(X))
                for layer in layers:
                    H = torch.tanh(layer(H))
                last(H).sum().backward()

            print([layer.weight.grad[0, 0].item() for layer in copies])
            print(shared.weight.grad[0, 0].item()){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Add the gradients of the copies in float32, in both orders."""
        tied = run["shared"].weight.grad
        parts = [layer.weight.grad for layer in run["copies"]]
        forward, backward = added(parts), added(parts[::-1])
        orders = [(tied - each).abs().max().item() for each in (forward, backward)]
        candidates = {
            "sum": forward,
            "mean": forward / self.uses,
            "first": parts[0],
            "last": parts[-1],
        }
        nearest = min(candidates, key=lambda name: (tied - candidates[name]).abs().max().item())
        corner = " + ".join(f"{each[0, 0].item():.4f}" for each in parts).replace("+ -", "− ")
        return Answer(
            prediction=nearest,
            explanation="in-another-order" if orders[0] else "equal-bit-for-bit",
            facts={
                "difference": f"{orders[0]:.3g}",
                "difference_backward": f"{orders[1]:.3g}" if self.uses > 2 else None,
            },
            placeholders={
                "addition": f"{corner} = {tied[0, 0].item():.4f}",
                "uses": self.uses,
                "other_order": f"{orders[1]:.3g}",
            },
            data=tuple(tuple(f"{x:.4f}" for x in grad[0].tolist()) for grad in (*parts, tied)),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        unknown: Row = ("?",) * 4
        rows: tuple[Row, ...] = answer.data if answer else (unknown,) * (self.uses + 1)
        parts = []
        for index, row in enumerate(rows):
            is_last = index == len(rows) - 1
            y = 24 + 30 * index + 12 * is_last
            name = "shared" if is_last else f"copies[{index}]"
            sign = "=" if is_last else "+" if index else ""
            weight = ' font-weight="700"' if is_last else ""
            if is_last:
                parts.append(f'<path d="M4 {y - 25} H436" style="stroke:var(--tp-muted)"/>')
            parts.append(
                f'<g data-id="row-{"tied" if is_last else index}" font-size="13"{weight}'
                f' font-family="var(--st-code-font, monospace)" style="fill:var(--tp-ink)">'
                f'<text x="4" y="{y}">{sign}</text><text x="20" y="{y}">{html.escape(name)}</text>'
            )
            parts += [
                f'<text x="{204 + 77 * place}" y="{y}" text-anchor="end">{value}</text>'
                for place, value in enumerate(row)
            ]
            parts.append("</g>")
        height = 24 + 30 * len(rows)
        svg = f'<svg viewBox="0 0 440 {height}">{"".join(parts)}</svg>'
        return Picture(svg, {"sum": " + ".join(row[0] for row in rows[:-1]) + f" = {rows[-1][0]}"})


def added(tensors: list[Any]) -> Any:
    """Add tensors, from the first to the last."""
    total = tensors[0]
    for each in tensors[1:]:
        total = total + each
    return total


def adds_in_another_order(step: GradientsAdd, answer: Answer) -> bool:
    """Return whether the result depends on the order in which the gradients are added."""
    del step
    return answer.explanation == "in-another-order"
