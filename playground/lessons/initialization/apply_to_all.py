"""Step on ``net.apply``: it calls a function with every module, children first."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from playground.lessons.initialization.histogram import text
from playground.modules.network_step import NetworkStep
from playground.steps import Answer, Labels, Picture, Run, Words, fix_field, shown_if
from playground.units import short

WIDTH, ROW, INDENT = 440, 30, 26
MAX_ROWS = 30  # of the table and of the picture


class First(StrEnum):
    """The first module of the network; the value is its code."""

    FLATTEN = "nn.Flatten()"
    NESTED = "nn.Sequential(nn.Linear(20, 20), nn.ReLU())"


class Rule(StrEnum):
    """The initializer of a weight; the value is the function."""

    NORMAL = "nn.init.normal_"
    CONSTANT = "nn.init.constant_"
    XAVIER = "nn.init.xavier_uniform_"


class Check(StrEnum):
    """Ways in which the function selects the modules that it initializes."""

    TYPE = "type(m) == nn.Linear"
    ISINSTANCE = "isinstance(m, nn.Linear)"
    STRING = 'type(m) == "Linear"'


TREES = {  # depth and class, in the order of the program
    First.FLATTEN: ((1, "Flatten"), (1, "Linear"), (1, "ReLU"), (1, "Linear")),
    First.NESTED: (
        *((1, "Sequential"), (2, "Linear"), (2, "ReLU")),
        *((1, "Linear"), (1, "ReLU"), (1, "Linear")),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A module in the picture.

    Attributes:
        call: The number of its call; None before the answer.
    """

    depth: int
    name: str
    call: int | None = None
    is_filled: bool = False


class ApplyToAll(NetworkStep):
    """Initialize the weights of a whole network with one function."""

    first: First = shown_if(First.FLATTEN, network=("",))
    check: Check = Check.TYPE
    rule: Rule = Rule.NORMAL
    is_fixed: bool = fix_field()

    @property
    def function(self) -> str:
        return f"init_{self.rule.name.lower()}"

    def code(self, w: Words) -> str:
        check = w.mark("check", Check.TYPE) if self.is_fixed else w.check
        given = {Rule.NORMAL: ", mean=0, std=0.01", Rule.CONSTANT: ", 1"}.get(self.rule, "")
        if self.network:
            network = self.definition(w)
            has_bias = "        if m.bias is not None:\n    "
        else:
            network = (
                f"import torch\nfrom torch import nn\n\ntorch.manual_seed(0){w.folded}\n"
                f"net = nn.Sequential(\n    {w.first},\n"
                f"    nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))\n"
            )
            has_bias = ""
        return (
            f"{network}\n"
            f"def {self.function}(m):\n"
            f"    print(type(m).__name__)\n"
            f"    if {check}:\n"
            f"        {w.rule}(m.weight{given})\n"
            f"{has_bias}        nn.init.zeros_(m.bias)\n\n"
            f"net.apply({self.function}){w.asked}"
        )

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return one, the linear layers, the modules inside, all modules, and the parameters.

        The counts of a visitor's network are unknown.
        """
        del devices
        if self.network:
            return "fewer", "as_many", "more"
        tree = TREES[self.first]
        linear = sum(name == "Linear" for _, name in tree)
        return tuple(map(str, sorted({1, linear, 2 * linear, len(tree), len(tree) + 1})))

    def answer(self, run: Run) -> Answer:
        net, is_lazy = run["net"], run["nn"].parameter.is_lazy
        calls = len(run.printed.split())
        layers = [each for each in net.modules() if type(each).__name__ == "Linear"]
        parameters = list(net.named_parameters())
        filled = [] if self.picks_nothing else [p for each in layers for p in each.parameters()]
        shaped = [(name, each) for name, each in parameters if not is_lazy(each)]
        has_fix = self.picks_nothing and bool(layers)
        return Answer(
            prediction=compared(calls, len(parameters)) if self.network else str(calls),
            explanation=self.explanation(has_linear=bool(layers)),
            facts={"filled": len(filled), "left": len(parameters) - len(filled)},
            placeholders={"calls": calls, "check": self.check},
            table=(("parameter", "shape", "mean", "std"), *rows(shaped[:MAX_ROWS])),
            is_silent_failure=not filled,
            fix=self.tried_fix() if has_fix else None,
            data=tuple(nodes(net, is_filling=not self.picks_nothing)[:MAX_ROWS]),
        )

    @property
    def picks_nothing(self) -> bool:
        return self.check is Check.STRING and not self.is_fixed

    def explanation(self, *, has_linear: bool) -> str:
        if not has_linear:
            return "no-linear"
        if self.picks_nothing:
            return "nothing-filled"
        return "applied-constant" if self.rule is Rule.CONSTANT else "applied"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        if answer is not None:
            return draw(answer.data)
        if self.network:
            return None
        inner = (Node(depth=depth, name=name) for depth, name in TREES[self.first])
        return draw((Node(depth=0, name="Sequential"), *inner))


def compared(calls: int, parameters: int) -> str:
    """Compare the counts of a visitor's network."""
    return "as_many" if calls == parameters else "more" if calls > parameters else "fewer"


def rows(parameters: list[tuple[str, Any]]) -> list[tuple[str, str, str, str]]:
    """List the parameters with their current moments."""
    return [
        (
            name,
            str(tuple(each.shape)),
            short(each.mean().item()),
            short(each.std().item() if each.numel() > 1 else None),
        )
        for name, each in parameters
    ]


def nodes(net: Any, *, is_filling: bool) -> list[Node]:
    """List the modules in the order of ``print(net)``, numbered in the order of the calls."""
    order: list[Any] = []
    net.apply(order.append)  # the same walk with a function that only notes
    calls = {id(module): call for call, module in enumerate(order, 1)}
    return [
        Node(
            depth=name.count(".") + 1 if name else 0,
            name=type(module).__name__,
            call=calls[id(module)],
            is_filled=is_filling and type(module).__name__ == "Linear",
        )
        for name, module in net.named_modules()
    ]


def draw(tree: tuple[Node, ...]) -> Picture:
    """Draw one line for each module, indented as it is nested."""
    parts = []
    for index, each in enumerate(tree):
        x, y = 6 + INDENT * each.depth, 4 + ROW * index
        fill = "--tp-success" if each.is_filled else "--tp-line"
        parts.append(
            f'<g data-id="module-{index}"><rect x="{x}" y="{y}" width="130" height="{ROW - 6}"'
            f' rx="6" style="fill:color-mix(in srgb,var({fill}) 18%,transparent);'
            f'stroke:var({fill})" stroke-width="1.5"/>'
            f"{text(x + 10, y + 17, each.name, '--tp-ink')}</g>"
        )
        if each.call is not None:
            parts.append(text(x + 142, y + 17, str(each.call), "--tp-accent", weight=650))
    height = 8 + ROW * len(tree)
    svg = f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>'
    ordered = sorted(tree, key=lambda each: each.call or 0)
    return Picture(svg, {"modules": " → ".join(each.name for each in ordered)})
