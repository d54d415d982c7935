"""Step "five_duties": the five duties of a block as a checklist."""

import copy
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from playground.lessons.blocks.pictures import svg_of, text_at
from playground.steps import Answer, Labels, Picture, Run, Step, Words

DUTIES = ("input", "output", "gradient", "parameters", "initialization")
NONE = "none_missing"
DISTANCE = 1e-6  # of the difference quotient
CHECKED = 4  # numbers of each tensor


class Hidden(StrEnum):
    """The way the first layer is kept; the value is the code that the program shows."""

    LAYER = "nn.Linear(20, 256)"
    LIST = "[nn.Linear(20, 256)]"


class Start(StrEnum):
    """The first values of the weights."""

    NORMAL = "normal_"
    ZEROS = "zeros_"


class Call(StrEnum):
    """The input of the first layer, and the use of its output."""

    PLAIN = "F.relu({hidden}(X))"
    FLAT = "F.relu({hidden}(X.flatten()))"
    DETACHED = "F.relu({hidden}(X).detach())"


class Last(StrEnum):
    """The last line of forward."""

    RETURN = "return self.out(H)"
    NO_RETURN = "self.out(H)"


class FiveDuties(Step):
    """Find the line of MLP that violates one of its duties."""

    hidden: Hidden = Hidden.LIST
    start: Start = Start.NORMAL
    call: Call = Call.PLAIN
    last: Last = Last.RETURN

    def code(self, w: Words) -> str:
        hidden = "self.hidden[0]" if self.hidden is Hidden.LIST else "self.hidden"
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            torch.manual_seed(0)
            {w.folded}
            class MLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.hidden = {w.hidden}
                    self.out = nn.Linear(256, 10)
                    nn.init.{w.start}({hidden}.weight)
                def forward(self, X):
                    H = {w.mark("call", self.call.format(hidden=hidden))}
                    {w.last}

            net = MLP()
            net(torch.rand(2, 20)).sum().backward(){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Test each duty on the block that the program made."""
        net = run["net"]
        done = duties(net, run)
        missed = [name for name in DUTIES if not done[name]]
        first = net.hidden[0] if isinstance(net.hidden, list) else net.hidden
        return Answer(
            prediction=missed[0] if missed else NONE,
            explanation=missed[0] if missed else "all",
            facts={
                "known": sum(1 for _ in net.parameters()),
                "distinct": len({tuple(row) for row in first.weight.tolist()}),
                "deviation": deviation(net, run["torch"]) if not missed else None,
            },
            is_silent_failure=bool(missed) and run.outcome.ok,
            data=tuple(done[name] for name in DUTIES),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        known = answer.data if answer else (None,) * len(DUTIES)
        parts = list(_checklist(known, labels))
        done = (name for name, is_done in zip(DUTIES, known, strict=True) if is_done)
        return Picture(
            svg_of(parts, 46 * len(DUTIES) + 8),
            {"done": ", ".join(labels[name] for name in done) or "—"},
        )


def duties(net: Any, run: Run) -> Mapping[str, bool]:
    """Test each duty of the block."""
    torch = run["torch"]
    first = net.hidden[0] if isinstance(net.hidden, list) else net.hidden
    tensors = (*first.parameters(), *net.out.parameters())
    try:
        Y = net(torch.rand(2, 20))
        takes_input = True
    except RuntimeError:
        Y, takes_input = None, False
    gives_output = not takes_input or (Y is not None and tuple(Y.shape) == (2, 10))
    is_judged = takes_input and gives_output  # otherwise nothing flows backwards at all
    listed = {id(each) for each in net.parameters()}
    return {
        "input": takes_input,
        "output": takes_input and gives_output,
        "gradient": is_judged and all(each.grad is not None for each in tensors),
        "parameters": all(id(each) in listed for each in tensors),
        "initialization": len({tuple(row) for row in first.weight.tolist()}) > 1,
    }


def deviation(net: Any, torch: Any) -> float:
    """Return the largest difference of a gradient from its difference quotient, in float64."""
    net = copy.deepcopy(net).double()
    net.zero_grad()
    X = torch.rand(2, 20, dtype=torch.float64)
    net(X).square().sum().backward()
    distances = []
    for tensor in net.parameters():
        numbers, gradients = tensor.data.view(-1), tensor.grad.view(-1)
        for place in range(CHECKED):
            kept, losses = numbers[place].item(), []
            for moved in (kept + DISTANCE, kept - DISTANCE):
                numbers[place] = moved
                losses.append(net(X).square().sum().item())
            numbers[place] = kept
            quotient = (losses[0] - losses[1]) / (2 * DISTANCE)
            distances.append(abs(quotient - gradients[place].item()))
    return float(f"{max(distances):.1g}")


def _checklist(known: tuple[bool | None, ...], labels: Labels) -> Iterator[str]:
    colours = {None: "var(--tp-muted)", True: "var(--tp-success)", False: "var(--tp-trouble)"}
    for index, (name, is_done) in enumerate(zip(DUTIES, known, strict=True)):
        y = 46 * index + 6
        colour = colours[is_done]
        sign = {None: str(index + 1), True: "✓", False: "✗"}[is_done]
        yield (
            f'<g data-id="duty-{name}"><circle cx="20" cy="{y + 18}" r="14" style="fill:color-mix('
            f'in srgb,{colour} 16%,transparent);stroke:{colour}" stroke-width="1.8"/></g>'
        )
        yield text_at(20, y + 23, sign, colour, weight=650)
        yield text_at(46, y + 14, labels[name], "var(--tp-ink)", "start", weight=650)
        yield text_at(46, y + 32, labels[f"about_{name}"], "var(--tp-muted)", "start")


def fails_without_an_error(step: FiveDuties, answer: Answer) -> bool:
    """Check that a duty is violated without an error and with all layers registered."""
    return answer.is_silent_failure and step.hidden is Hidden.LAYER
