"""Step on an optimizer created before its network moves."""

import html
from enum import StrEnum
from typing import Any, NamedTuple

from playground.steps import (
    Answer,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    fix_field,
    number,
    shown_if,
)
from playground.steps.device_map import colours

LOAD = "optimizer.load_state_dict(optimizer.state_dict())"
WIDTH, HEIGHT, BOX_LEFT, BOX_WIDTH = 440, 170, 164, 131
ROWS = (50, 94, 138)  # heights: the parameter, an old one, the state
NAMES = ("net.weight", "optimizer")


class Kind(StrEnum):
    """The value is the code that the program shows."""

    ADAM = "torch.optim.Adam(net.parameters(), lr=0.1)"
    SGD = "torch.optim.SGD(net.parameters(), lr=0.1)"
    MOMENTUM = "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)"
    ADAGRAD = "torch.optim.Adagrad(net.parameters(), lr=0.1)"


class Move(StrEnum):
    """The line that moves the weight to the GPU."""

    CUDA = "net.cuda()"
    REPLACED = "net.weight = nn.Parameter(net.weight.detach().cuda())"


class Identity(NamedTuple):
    """Plain data of the picture.

    Attributes:
        weight: The device of ``net.weight``.
        held: The device of the parameter that the optimizer holds.
        is_same: Both are one object.
        state: Name and device of a tensor of the optimizer's state; empty if there is none.
    """

    weight: str
    held: str
    is_same: bool
    state: tuple[str, str] | tuple[()]


class Optimizer(Step):
    """Create an optimizer before or after its network moves, then take a step."""

    machine: Machine = Machine()
    kind: Kind = Kind.ADAM
    is_made_after: bool = False
    steps: int = number(0, 5, default=0, only_if={"is_made_after": (False,)})
    move: Move = shown_if(Move.CUDA, is_made_after=(False,))
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        made = f"optimizer = {w.kind}"
        move = w.move if not self.is_fixed and self.is_shown("move") else Move.CUDA.value
        trained = f"for _ in range({w.steps}):\n    train_on(torch.ones(2, 4))"
        lines = [move, made] if self.is_made_after else [made, trained, move]
        if self.is_fixed and self.has_state:
            lines.append(LOAD)
        return "\n".join(
            [
                "import torch",
                "from torch import nn",
                "",
                "def train_on(X):",
                "    net(X).sum().backward()",
                "    optimizer.step()",
                f"    optimizer.zero_grad(){w.folded}",
                "",
                "net = nn.Linear(4, 3, bias=False)",
                *lines,
                "before = net.weight.detach().clone()",
                f"train_on(torch.ones(2, 4).cuda()){w.asked}",
                "print(torch.equal(before, net.weight))",
            ]
        )

    @property
    def has_state(self) -> bool:
        """The optimizer keeps state from before the move."""
        keeps = self.kind is Kind.ADAGRAD or (self.steps > 0 and self.kind is not Kind.SGD)
        return keeps and not self.is_made_after

    def answer(self, run: Run) -> Answer:
        """Compare the network's parameter with the one that the optimizer holds."""
        if "before" not in run.names or not run["net"].weight.is_cuda:
            return Answer(prediction=run.outcome.error_type, explanation="no-such-device")
        weight, optimizer = run["net"].weight, run["optimizer"]
        held = optimizer.param_groups[0]["params"][0]
        has_trained = run.outcome.ok and not run["torch"].equal(run["before"], weight)
        prediction = "trains" if has_trained else "trains_nothing"
        state = self.state_of(optimizer.state.get(held, {}))
        return Answer(
            prediction=prediction if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(run, has_trained=has_trained),
            facts={
                "is_same": held is weight,
                "held_device": str(held.device),
                "state_device": f"{state[0]}: {state[1]}" if state else None,
            },
            placeholders={"state": state[0] if state else None, "steps": self.steps},
            is_silent_failure=run.outcome.ok and not has_trained,
            fix=None if has_trained else self.tried_fix(),
            data=Identity(str(weight.device), str(held.device), held is weight, state),
        )

    @staticmethod
    def state_of(state: dict[str, Any]) -> tuple[str, str] | tuple[()]:
        """Return the name and the device of the first tensor of the state except the step count."""
        found = ((name, str(each.device)) for name, each in state.items() if name != "step")
        return next(found, ())

    def explanation(self, run: Run, *, has_trained: bool) -> str:
        if not run.outcome.ok:
            return "state-left" if self.steps else "state-from-the-start"
        if not has_trained:
            return "trains-the-replaced"
        if self.is_made_after:
            return "made-after-without-state" if self.kind is Kind.SGD else "made-after"
        if self.is_fixed:
            return "state-brought" if self.has_state else "same-object"
        return "keeps-nothing" if self.steps else "same-object"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or answer.data is None:
            return None
        return draw(answer.data, labels["old"], is_simulated=self.machine.is_simulated)


def draw(found: Identity, old: str, *, is_simulated: bool) -> Picture:
    """Draw the names at the left, the devices beside them, and arrows to one or two objects."""
    lefts = {"cpu": BOX_LEFT, "cuda:0": BOX_LEFT + BOX_WIDTH + 12}
    objects: dict[int, tuple[str, str]] = {0: ("Parameter", found.weight)}  # by row
    if not found.is_same:
        objects[1] = (old, found.held)
    if found.state:
        objects[2] = found.state
    ways = [(0, 0), (1, 0 if found.is_same else 1)]
    ways += [(1, 2)] if found.state else []
    parts = [_device(device, left, is_simulated) for device, left in lefts.items()]
    parts += [_arrow(start, lefts[objects[end][1]], end) for start, end in ways]
    parts += [_chip(name, 0, ROWS[row], 112) for row, name in enumerate(NAMES)]
    parts += [
        _chip(text, lefts[device] + 12, ROWS[row], BOX_WIDTH - 24, device, device != found.weight)
        for row, (text, device) in objects.items()
    ]
    said = "; ".join(f"{NAMES[a]} → {objects[b][0]} ({objects[b][1]})" for a, b in ways)
    svg = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    return Picture(svg, {"arrows": said})


def _device(device: str, left: int, is_simulated: bool) -> str:
    fill, _, ink = colours(device)
    dash = ' stroke-dasharray="2 4"' if is_simulated and device != "cpu" else ""
    return (
        f'<rect x="{left}" y="2" width="{BOX_WIDTH}" height="{HEIGHT - 4}" rx="10"{dash}'
        f' style="fill:color-mix(in srgb,{fill} 9%,transparent);stroke:{fill}" stroke-width="1.8"/>'
        f'<text x="{left + 12}" y="22" font-size="14" font-weight="650" style="fill:{ink}">'
        f"{device}</text>"
    )


def _chip(
    text: str, left: int, middle: int, width: int, device: str = "", is_left: bool = False
) -> str:
    fill, ink, _ = colours(device) if device else ("var(--tp-paper)", "var(--tp-ink)", "")
    edge = "var(--tp-trouble)" if is_left else fill if device else "var(--tp-line)"
    line = 2.6 if is_left else 1
    return (
        f'<g data-id="chip-{html.escape(text)}"><rect x="{left + 1}" y="{middle - 15}" rx="7"'
        f' width="{width}" height="30" style="fill:{fill};stroke:{edge}" stroke-width="{line}"/>'
        f'<text x="{left + width / 2 + 1:g}" y="{middle + 5}" text-anchor="middle" font-size="14"'
        f' style="fill:{ink}">{html.escape(text)}</text></g>'
    )


def _arrow(start: int, left: int, end: int) -> str:
    y, to_y = ROWS[start], ROWS[end]
    return (
        f'<path data-id="arrow-{start}-{end}" d="M114 {y} C150 {y} {left - 30} {to_y} {left + 9}'
        f' {to_y} m-7 -5 l7 5 l-7 5" fill="none" style="stroke:var(--tp-muted)" stroke-width="2"/>'
    )


def carries_its_averages(step: Optimizer, answer: Answer) -> bool:
    """Return whether training continues with averages from before the move."""
    return answer.explanation == "state-brought" and step.kind is not Kind.ADAGRAD
