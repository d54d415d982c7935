"""Step "fixed_hidden_mlp": parameters of a block with a constant matrix and a shared layer."""

from enum import StrEnum

from playground.lessons.blocks.pictures import Stage, flow, parameters_of, way
from playground.steps import Answer, Labels, Picture, Run, Step, Words

FEATURES = 20
LAYER = FEATURES * FEATURES + FEATURES
CONSTANT = FEATURES * FEATURES


class Constant(StrEnum):
    """The way the block holds the random matrix."""

    ATTRIBUTE = "torch.rand(20, 20)"
    PARAMETER = "nn.Parameter(torch.rand(20, 20))"


class Again(StrEnum):
    """The second layer: the same one, or one that is made in every call."""

    SAME = "self.linear"
    NEW = "nn.Linear(20, 20)"


class FixedHiddenMlp(Step):
    """Count the trainable parameters of FixedHiddenMLP."""

    constant: Constant = Constant.ATTRIBUTE
    second: Again = Again.SAME

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F
            {w.folded}
            class FixedHiddenMLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rand_weight = {w.constant}
                    self.linear = nn.Linear(20, 20)
                def forward(self, X):
                    X = self.linear(X)
                    X = F.relu(X @ self.rand_weight + 1)
                    return {w.second}(X).sum()

            net = FixedHiddenMLP()
            print(sum(p.numel() for p in net.parameters())){w.asked}
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the counts for one layer and two, each without and with the matrix."""
        del devices
        counts = (LAYER, LAYER + CONSTANT, 2 * LAYER, 2 * LAYER + CONSTANT)
        return tuple(map(str, counts))

    def answer(self, run: Run) -> Answer:
        """Count the parameters, and call the block twice with the same batch."""
        net, torch = run["net"], run["torch"]
        X = torch.ones(2, FEATURES)
        is_new = self.second is Again.NEW
        with torch.no_grad():
            repeats = net(X).item() == net(X).item()
        if is_new:
            explanation = "made-in-every-call"
        else:
            explanation = (
                "counted-once" if self.constant is Constant.ATTRIBUTE else "matrix-is-trained"
            )
        return Answer(
            prediction=str(parameters_of(net)),
            explanation=explanation,
            facts={"keys": ", ".join(net.state_dict()), "repeats": repeats},
            is_silent_failure=is_new,
            data=is_new,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Draw the path of the batch; trained layers are coloured after the answer."""
        is_known = answer is not None
        is_trained = is_known and self.constant is Constant.PARAMETER
        is_new = self.second is Again.NEW
        shape = str((2, FEATURES))
        again = labels["again_new" if is_new else "again_same"]
        stages = (
            Stage(path="linear", label="self.linear", shape=shape, has_parameters=is_known),
            Stage(
                path="rand_weight",
                label="@ rand_weight + 1, ReLU",
                shape=shape,
                has_parameters=is_trained,
            ),
            Stage(
                path="" if is_new else "linear",
                label=self.second.value,
                shape=shape,
                note=again,
                has_parameters=is_known and not is_new,
            ),
            Stage(label="sum", shape="()"),
        )
        return Picture(flow(shape, stages), {"way": way(shape, stages)})
