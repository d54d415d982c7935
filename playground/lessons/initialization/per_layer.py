"""Step on different initializers for different layers, selected by index or by name."""

from enum import StrEnum

from playground.lessons.initialization.histogram import draw, histogram, measured
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number, shown_if, text

NET = "net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))"


class Way(StrEnum):
    """Ways to select the layers."""

    PLACE = "place"
    NAME = "name"


class Target(StrEnum):
    """The target of the second initializer; the value is its code."""

    LAST = "net[2]"
    WHOLE = "net"


class PerLayer(Step):
    """Initialize some layers with one function, and others with another."""

    way: Way = Way.PLACE
    target: Target = shown_if(Target.LAST, way=(Way.PLACE,))
    pattern: str = text(16, default="weight", only_if={"way": (Way.NAME,)})
    value: float = number(-1000.0, 1000.0, default=42.0)

    def code(self, w: Words) -> str:
        head = f"import torch\nfrom torch import nn\n\ntorch.manual_seed(0){w.folded}\n{NET}\n"
        if self.way is Way.NAME:
            return f"""{head}
for name, parameter in net.named_parameters():
    if {w.pattern} in name:
        nn.init.constant_(parameter, {w.value})
print(net[2].bias){w.asked}
"""
        return f"""{head}
def init_xavier(m):
    if type(m) == nn.Linear:
        nn.init.xavier_uniform_(m.weight)
def init_constant(m):
    if type(m) == nn.Linear:
        nn.init.constant_(m.weight, {w.value})

net[0].apply(init_xavier)
{w.target}.apply(init_constant)
print(net[2].bias){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        net = run["net"]
        bias = net[2].bias
        is_constant = bool((bias == bias[0]).all())
        named = [name for name, _ in net.named_parameters() if self.pattern in name]
        changed = named if self.way is Way.NAME else ["0.weight", "2.weight"]
        explanation = self.explanation(changed)
        return Answer(
            prediction=("zeros" if self.value == 0 else "value") if is_constant else "default",
            explanation=explanation,
            facts={"changed": ", ".join(changed) or None, "left": 4 - len(changed)},
            placeholders={"value": f"{self.value:g}", "pattern": self.pattern},
            is_silent_failure=explanation in {"nothing-fits", "overwritten"},
            data=tuple(
                histogram(name, measured(each, None)) for name, each in net.named_parameters()
            ),
        )

    def explanation(self, changed: list[str]) -> str:
        if self.way is Way.PLACE:
            return "by-place" if self.target is Target.LAST else "overwritten"
        return "by-name" if changed else "nothing-fits"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return draw(answer.data) if answer else None


def only_biases(step: PerLayer, answer: Answer) -> bool:
    """Return whether both biases hold the constant, and no weight does."""
    del step
    return answer.facts["changed"] == "0.bias, 2.bias"
