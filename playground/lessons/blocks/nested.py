"""Step "nested": blocks inside blocks, with NestMLP and three blocks in a row."""

from enum import StrEnum

from playground.lessons.blocks.pictures import Stage, flow, way
from playground.lessons.blocks.sequential import stages
from playground.steps import Answer, Labels, Picture, Run, Step, Words


class Block(StrEnum):
    """One of three blocks in a row; the value is the code that the program shows."""

    NEST_MLP = "NestMLP()"
    LINEAR = "nn.Linear(16, 20)"
    FIXED_HIDDEN = "FixedHiddenMLP()"


class Nested(Step):
    """Put three blocks in a row, and send two examples through them."""

    first: Block = Block.NEST_MLP
    second: Block = Block.LINEAR
    third: Block = Block.FIXED_HIDDEN

    def code(self, w: Words) -> str:
        """Build NestMLP, and the chain of blocks that the textbook calls chimera."""
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            class FixedHiddenMLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rand_weight = torch.rand(20, 20)
                    self.linear = nn.Linear(20, 20)

                def forward(self, X):
                    X = F.relu(self.linear(X) @ self.rand_weight + 1)
                    X = self.linear(X)
                    while X.abs().sum() > 1:
                        X = X / 2
                    return X.sum()
            {w.folded}
            class NestMLP(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.net = nn.Sequential(
                        nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
                    self.linear = nn.Linear(32, 16)
                def forward(self, X):
                    return self.linear(self.net(X))

            chimera = nn.Sequential({w.first}, {w.second}, {w.third})
            Y = chimera(torch.rand(2, 20)){w.asked}
            print(Y.shape)
        """

    @property
    def chosen(self) -> tuple[Block, ...]:
        return self.first, self.second, self.third

    def answer(self, run: Run) -> Answer:
        """Follow the batch from block to block."""
        net, Y = run["chimera"], run.get("Y")
        found = stages(net, run["torch"].rand(2, 20))
        failed = next((place for place, each in enumerate(found) if each.is_failing), None)
        given = "(2, 20)" if not failed else found[failed - 1].shape
        counts = [sum(each.numel() for each in block.parameters()) for block in net]
        return Answer(
            prediction=run.outcome.error_type if Y is None else str(tuple(Y.shape)),
            explanation=self.explanation(failed, given),
            facts={
                "output_shape": None if Y is None else str(tuple(Y.shape)),
                "parameters": sum(counts),
                "modules": sum(1 for _ in net.modules()),
            },
            placeholders={
                "sum": " + ".join(map(str, counts)),
                "block": "" if failed is None else found[failed].label,
                "given": given,
                "expected": "" if failed is None else expected(self.chosen[failed]),
            },
            data=tuple(found),
        )

    def explanation(self, failed: int | None, given: str) -> str:
        if failed is not None:
            return "number-refused" if given == "()" else "blocks-do-not-fit"
        return "ends-in-a-number" if self.third is Block.FIXED_HIDDEN else "blocks-fit"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Draw the three blocks, and after the answer the shapes between them."""
        del labels
        names = [each.value.removeprefix("nn.").partition("(")[0] for each in self.chosen]
        plain = [
            Stage(path=str(i), label=name, has_parameters=True) for i, name in enumerate(names)
        ]
        known = answer.data if answer else plain
        return Picture(flow("(2, 20)", known), {"way": way("(2, 20)", known)})


def expected(block: Block) -> int:
    """Return the number of input features of a block."""
    return 16 if block is Block.LINEAR else 20


def ends_in_sixteen(step: Nested, answer: Answer) -> bool:
    """Check that the three blocks turn two examples into 16 outputs each."""
    del step
    return answer.prediction == "(2, 16)"
