"""Step on one parameter of one layer: its type, its values, and its gradient at four moments."""

import html
from enum import StrEnum

from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

BACKWARD = "Y.sum().backward()"


class Moment(StrEnum):
    """The operation before the gradient is read; the value is the code."""

    FORWARD = ""
    BACKWARD = BACKWARD
    TWICE = f"{BACKWARD}\nnet(X).sum().backward()"
    ZERO_GRAD = f"{BACKWARD}\nnet.zero_grad()"
    SET_TO_ZERO = f"{BACKWARD}\nnet.zero_grad(set_to_none=False)"


class OneLayer(Step):
    """Read the bias of the last layer, whose gradient can be computed by hand."""

    moment: Moment = Moment.FORWARD
    batch: int = number(1, 8, default=2)

    def code(self, w: Words) -> str:
        lines = [
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))",
            f"X = torch.rand({w.batch}, 4)",
            "Y = net(X)",
            "print(net[2].state_dict())",
            "print(type(net[2].bias), net[2].bias.data)",
            *self.moment.splitlines(),
            f"print(net[2].bias.grad){w.asked}",
        ]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return no gradient, zero, and the gradients of one and of two backward passes."""
        del devices
        values = (0, self.batch, 2 * self.batch)
        return ("None", *(f"tensor([{value}.])" for value in values))

    def answer(self, run: Run) -> Answer:
        bias = run["net"][2].bias
        return Answer(
            prediction=str(bias.grad),
            explanation=self.moment.name.lower().replace("_", "-"),
            facts={
                "parameter_type": f"{type(bias).__module__}.{type(bias).__name__}",
                "data_type": f"torch.{type(bias.data).__name__}",
                "requires_grad": bias.requires_grad,
            },
            placeholders={"batch": self.batch, "gradient": str(bias.grad)},
            data=(round(bias.item(), 4), None if bias.grad is None else bias.grad.item()),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        values, gradient = ("?", "?") if answer is None else map(str, answer.data)
        is_empty = gradient in ("?", "None")
        drawers = drawer(44, ".data", values, is_empty=answer is None)
        drawers += drawer(92, ".grad", gradient, is_empty=is_empty)
        svg = (
            '<svg viewBox="0 0 440 146"><rect x="2" y="2" width="436" height="142"'
            ' rx="12" style="fill:color-mix(in srgb,var(--tp-accent) 8%,transparent);'
            'stroke:var(--tp-accent)" stroke-width="1.8"/><text x="18" y="28" font-size="16"'
            ' font-weight="650" style="fill:var(--tp-ink)">net[2].bias<tspan dx="10"'
            f' font-weight="400" style="fill:var(--tp-muted)">{html.escape(labels["box"])}</tspan>'
            f"</text>{drawers}</svg>"
        )
        return Picture(svg, {"in_data": values, "in_grad": gradient})


def drawer(y: int, name: str, content: str, *, is_empty: bool) -> str:
    """Draw one drawer; an empty one is dashed."""
    dash = ' stroke-dasharray="4 4"' if is_empty else ""
    fill = "none" if is_empty else "var(--tp-paper)"
    return (
        f'<g data-id="drawer{name}" transform="translate(18 {y})" font-size="15"'
        f' font-family="var(--st-code-font, monospace)"><text y="25"'
        f' style="fill:var(--tp-ink)">{name}</text><rect x="72" y="2" width="332" height="36"'
        f' rx="7" style="fill:{fill};stroke:var(--tp-muted)" stroke-width="1.5"{dash}/>'
        f'<text x="88" y="25"'
        f' style="fill:var(--tp-ink)">{html.escape(content)}</text></g>'
    )
