"""Step "constant_parameter": a constant in forward, f(x, w) = c wᵀx, that is not trained."""

from enum import StrEnum

from playground.lessons.blocks.pictures import ACCENT, INK, LINE, MUTED, WIDTH, svg_of, text_at
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

ROWS = 44  # px for each value


class Constant(StrEnum):
    """The way the module holds c; the value is the code that the program shows."""

    TENSOR = "torch.tensor(2.0)"
    TRACKED = "torch.tensor(2.0, requires_grad=True)"
    PARAMETER = "nn.Parameter(torch.tensor(2.0))"


class ConstantParameter(Step):
    """Take one training step with f(x, w) = c wᵀx."""

    constant: Constant = Constant.TENSOR
    rate: float = number(0.01, 0.5, default=0.1)

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            x = torch.tensor([1.0, 2.0, 3.0])
            {w.folded}
            class ScaledSum(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.c = {w.constant}
                    self.w = nn.Parameter(torch.ones(3))
                def forward(self, x):
                    return self.c * (self.w @ x)

            net = ScaledSum()
            net(x).backward()
            torch.optim.SGD(net.parameters(), lr={w.rate}).step()
            print(net.c.item()){w.asked}
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return c unchanged, after a gradient step, and after a step in the wrong direction."""
        del devices
        return "2", f"{2 - 6 * self.rate:g}", f"{2 + 6 * self.rate:g}"

    def answer(self, run: Run) -> Answer:
        net = run["net"]
        gradient = net.c.grad
        after = net.c.item()
        return Answer(
            prediction=f"{after:g}",
            explanation={Constant.PARAMETER: "is-trained", Constant.TRACKED: "has-a-gradient"}.get(
                self.constant, "stays-constant"
            ),
            facts={
                "is_listed": any(each is net.c for each in net.parameters()),
                "gradient": None if gradient is None else gradient.item(),
                "weights": str([round(each, 3) for each in net.w.tolist()]),
            },
            placeholders={"after": f"{after:g}", "rate": f"{self.rate:g}"},
            data=(after, *net.w.tolist()),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        names = ("c", "w[0]", "w[1]", "w[2]")
        before = (2.0, 1.0, 1.0, 1.0)
        low, high = float(min(*before, *answer.data)), float(max(*before, *answer.data))

        def x(value: float) -> float:
            return 70 + (WIDTH - 130) * (value - low) / (high - low)

        parts = []
        for row, (name, old, new) in enumerate(zip(names, before, answer.data, strict=True)):
            y = ROWS * row + 30
            parts += [
                text_at(8, y + 5, name, INK, "start", is_code=True),
                f'<path d="M70 {y} H{WIDTH - 60}" style="stroke:{LINE}"/><path d="M{x(old):.1f} {y}'
                f' H{x(new):.1f}" style="stroke:{ACCENT}" stroke-width="3"/><circle cx="'
                f'{x(old):.1f}" cy="{y}" r="7" style="fill:none;stroke:{MUTED}" stroke-width="2"/>'
                f'<circle data-id="value-{name}" cx="{x(new):.1f}" cy="{y}" r="5"'
                f' style="fill:{ACCENT if new != old else MUTED}"/>',
                text_at(WIDTH - 4, y + 5, f"{new:.4g}", INK, "end", is_code=True),
            ]
        parts.append(
            text_at(8, ROWS * 4 + 22, f"○ {labels['before']}  ● {labels['after']}", MUTED, "start")
        )
        changes = ", ".join(
            f"{name} {old:g} → {new:.4g}"
            for name, old, new in zip(names, before, answer.data, strict=True)
        )
        return Picture(svg_of(parts, ROWS * 4 + 34), {"values": changes})
