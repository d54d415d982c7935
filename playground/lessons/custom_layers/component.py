"""Step on a custom layer in a network: the features that it inherits from nn.Module."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import checklist
from playground.steps import Answer, Labels, Machine, Picture, Run, Step, Words, number, run_program

OWN, TORCHS = "MyLinear(", "nn.Linear("


class Use(StrEnum):
    """The operation on the network; the value is the line that does it."""

    PRINT = "print(net[0])"
    COUNT = "print(sum(p.numel() for p in net.parameters()))"
    KEYS = "print(list(net.state_dict()))"
    SHAPES = "print([tuple(p.shape) for p in net.parameters()])"
    MOVE = 'print(net.to("cuda:0")[0].weight.device)'


class Component(Step):
    """Apply a usual operation to a network of MyLinear layers."""

    machine: Machine = Machine()
    inputs: int = number(1, 64, default=64)
    units: int = number(1, 64, default=8)
    use: Use = Use.PRINT

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F
            {w.folded}
            class MyLinear(nn.Module):
                def __init__(self, in_units, units):
                    super().__init__()
                    self.weight = nn.Parameter(torch.randn(in_units, units))
                    self.bias = nn.Parameter(torch.randn(units))
                def forward(self, X):
                    return F.relu(X @ self.weight + self.bias)

            layers = MyLinear({w.inputs}, {w.units}), MyLinear({self.units}, 1)
            net = nn.Sequential(*layers)
            {w.use}{w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Run the same program with nn.Linear in place of MyLinear, and compare the output."""
        program = self.program()
        made = program.rindex("layers = ")
        theirs = run_program(program[:made] + program[made:].replace(OWN, TORCHS))
        is_same = run.printed == theirs.printed and run.outcome == theirs.outcome
        net = run["net"]
        explanation = "same" if is_same else f"{self.use.name.lower()}-differs"
        if not run.outcome.ok:
            explanation = "no-such-device"
        return Answer(
            prediction="yes" if is_same else "no",
            explanation=explanation,
            facts={
                "own": run.printed.strip() or None,
                "theirs": theirs.printed.strip() or None,
                "size_bytes": sum(each.nbytes for each in net.parameters()),
            },
            data=is_same if run.outcome.ok else None,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        text = labels[f"about_{self.use.name.lower()}"]
        return Picture(checklist([(text, answer.data)]), {"tried": text})


def is_one_kibibyte(step: Component, answer: Answer) -> bool:
    """Return whether the parameters of both layers take 1024 bytes."""
    del step
    return answer.facts["size_bytes"] == 1024
