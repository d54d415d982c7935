"""Step on assigning to a registered parameter: accepted values, and what the optimizer trains."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import checklist
from playground.steps import Answer, Labels, Picture, Run, Step, Words


class Line(StrEnum):
    """The assignment; the value is the code that the program shows."""

    PARAMETER = "layer.weight = nn.Parameter(torch.ones(4, 3))"
    TENSOR = "layer.weight = torch.ones(4, 3)"
    SCALED = "layer.weight = nn.Parameter(torch.ones(4, 3)) * 2"
    COPY = "nn.init.ones_(layer.weight)"
    DATA = "layer.weight.data = torch.ones(4, 3)"
    BUFFER = 'layer.register_buffer("weight", torch.ones(4, 3))'
    NONE = "layer.weight = None"
    DELETED = "del layer.weight; layer.weight = torch.ones(4, 3)"


class Assignment(Step):
    """Replace a weight that an optimizer already holds."""

    line: Line = Line.PARAMETER

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            class MyLinear(nn.Module):
                def __init__(self, in_units, units):
                    super().__init__()
                    self.weight = nn.Parameter(torch.randn(in_units, units))
                    self.bias = nn.Parameter(torch.randn(units))

                def forward(self, X):
                    return F.relu(X @ self.weight + self.bias)

            torch.manual_seed(0)
            {w.folded}
            layer = MyLinear(4, 3)
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

            {w.line}{w.asked}

            layer(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            print(layer.weight)
        """

    def answer(self, run: Run) -> Answer:
        layer, torch, optimizer = run["layer"], run["torch"], run["optimizer"]
        weight = layer.weight
        held = optimizer.param_groups[0]["params"]
        is_trained = weight is not None and any(each is weight for each in held)
        is_trained = is_trained and run.outcome.ok and not torch.equal(weight, torch.ones(4, 3))
        known = "weight" in dict(layer.named_parameters())
        prediction = "trained" if is_trained else "not_trained"
        return Answer(
            prediction=prediction if run.outcome.ok else run.outcome.error_type,
            explanation=f"assign-{self.line.name.lower()}",
            facts={
                "type_name": type(weight).__name__,
                "in_parameters": known,
                "in_state_dict": "weight" in layer.state_dict(),
            },
            is_silent_failure=run.outcome.ok and not is_trained,
            data=(known, any(each is weight for each in held), is_trained),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        names = ("by_layer", "by_optimizer", "by_training")
        rows = [(labels[name], each) for name, each in zip(names, answer.data, strict=True)]
        return Picture(checklist(rows), {"known": ", ".join(t for t, done in rows if done) or "—"})


def is_lost_silently(step: Assignment, answer: Answer) -> bool:
    """Return whether the weight is no longer a parameter, and no error was raised."""
    del step
    return answer.outcome.ok and not answer.facts["in_parameters"]
