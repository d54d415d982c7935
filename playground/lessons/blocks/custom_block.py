"""Step "custom_block": layers made in ``__init__`` and used in ``forward``."""

from enum import StrEnum

from playground.lessons.blocks.pictures import nodes_of, parameters_of, tree, tree_text
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field


class First(StrEnum):
    """The first line of `__init__`; the value is the code that the program shows."""

    SUPER = "super().__init__()"
    FORGOTTEN = "pass  # super().__init__() is missing"


class Method(StrEnum):
    """The name of the method that computes."""

    FORWARD = "forward"
    PREDICT = "predict"


class Last(StrEnum):
    """The last line of that method."""

    RETURN = "return self.out(H)"
    NO_RETURN = "self.out(H)"


class CustomBlock(Step):
    """Define the class MLP, make one, and call it."""

    first: First = First.SUPER
    method: Method = Method.FORWARD
    last: Last = Last.RETURN
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        """Build the textbook class, with up to three mistakes."""
        fixed = {"first": First.SUPER, "method": Method.FORWARD, "last": Last.RETURN}
        first, method, last = (
            fixed[name].value if self.is_fixed else getattr(w, name) for name in fixed
        )
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F
            {w.folded}
            class MLP(nn.Module):
                def __init__(self):
                    {first}
                    self.hidden = nn.Linear(20, 256)
                    self.out = nn.Linear(256, 10)
                def {method}(self, X):
                    H = F.relu(self.hidden(X))
                    {last}

            net = MLP()
            Y = net(torch.rand(2, 20)){w.asked}
            print(Y.shape)
        """

    def answer(self, run: Run) -> Answer:
        """Report what the class can do."""
        net, Y = run.get("net"), run.get("Y")
        return Answer(
            prediction=str(tuple(Y.shape)) if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(),
            facts={
                "output_shape": None if Y is None else str(tuple(Y.shape)),
                "parameters": None if net is None else parameters_of(net),
            },
            fix=None if run.outcome.ok else self.tried_fix(),
            data=() if net is None else nodes_of(net),
        )

    def explanation(self) -> str:
        """Choose the explanation of the first mistake that the program reaches."""
        if self.is_fixed:
            return "repaired"
        if self.first is First.FORGOTTEN:
            return "nothing-to-register-in"
        if self.method is Method.PREDICT:
            return "no-forward"
        return "gives-none" if self.last is Last.NO_RETURN else "a-module"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        if answer is None or not answer.data:
            return None
        return Picture(tree(answer.data), {"tree": tree_text(answer.data)})
