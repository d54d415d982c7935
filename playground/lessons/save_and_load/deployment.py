"""Step "deployment": evaluation mode, inference mode, and no optimizer in the file."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from playground.lessons.save_and_load import drawing
from playground.steps import Answer, Files, Labels, Picture, Run, Step, Words, fix_field
from playground.units import format_bytes

FILE = "model.pt"
PREPARATION = """\
import os
import torch
from torch import nn
from torch.nn import functional as F

def make():
    return nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 10)
    )

torch.manual_seed(0)
net = make()
X, y = torch.randn(32, 20), torch.randint(10, (32,))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(20):
    loss = F.cross_entropy(net(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model_state, optimizer_state = net.state_dict(), optimizer.state_dict()
"""


class Saved(StrEnum):
    """The object that is saved; the value is the code that the program shows."""

    PARAMETERS = "model_state"
    CHECKPOINT = "[model_state, optimizer_state]"


class Mode(StrEnum):
    """The line that sets the mode; the value is the code that the program shows."""

    EVAL = "served.eval()"
    TRAIN = "# served.eval()"


class Context(StrEnum):
    """The context of the forward pass; the value is the code that the program shows."""

    INFERENCE = "torch.inference_mode()"
    NO_GRAD = "torch.no_grad()"
    ENABLE_GRAD = "torch.enable_grad()"


class Deployment(Step):
    """Load a trained model for serving, and find what is left over from training."""

    saved: Saved = Saved.PARAMETERS
    mode: Mode = Mode.TRAIN
    context: Context = Context.INFERENCE
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        """Build the server's part; training is folded."""
        is_whole = self.saved is Saved.CHECKPOINT and not self.is_fixed
        return "\n".join(
            [
                f"{PREPARATION}{w.folded}",
                f'torch.save({Saved.PARAMETERS.value if self.is_fixed else w.saved}, "{FILE}")',
                "",
                "served = make()",
                f'state = torch.load("{FILE}")',
                f"served.load_state_dict({'state[0]' if is_whole else 'state'})",
                Mode.EVAL.value if self.is_fixed else w.mode,
                f"with {Context.INFERENCE.value if self.is_fixed else w.context}:",
                "    Y, again = served(X), served(X)",
                f"print(torch.equal(Y, again), Y.requires_grad){w.asked}",
                f'print(os.path.getsize("{FILE}"))',
            ]
        )

    def files(self) -> Files:
        return Files(downloads=(FILE,))

    def answer(self, run: Run) -> Answer:
        """Find the problems for deployment: in the outputs, in their graph, in the file."""
        Y, again = run["Y"], run["again"]
        size = Path(FILE).stat().st_size
        numbers = sum(each.numel() * each.element_size() for each in run["served"].parameters())
        wrong = [
            name
            for name, is_wrong in (
                ("random", not run["torch"].equal(Y, again)),
                ("graph", Y.requires_grad),
                ("large", size > 2 * numbers),
            )
            if is_wrong
        ]
        prediction = "nothing" if not wrong else wrong[0] if len(wrong) == 1 else "several"
        return Answer(
            prediction=prediction,
            explanation=self.explanation(prediction),
            facts={
                "is_repeatable": "random" not in wrong,
                "graph": type(Y.grad_fn).__name__ if Y.grad_fn is not None else None,
                "number_bytes": format_bytes(numbers),
                "file_bytes": format_bytes(size),
            },
            placeholders={"ratio": f"{size / numbers:.1f}"},
            fix=self.tried_fix() if wrong else None,
            is_silent_failure=bool(wrong),
            data=tuple(wrong),
        )

    def explanation(self, prediction: str) -> str:
        if prediction == "nothing" and self.context is Context.NO_GRAD and not self.is_fixed:
            return "no-grad-will-do"
        return {"nothing": "ready", "several": "several"}.get(prediction, prediction)

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        return draw(None if answer is None else answer.data, labels)


def draw(wrong: Sequence[str] | None, labels: Labels) -> Picture:
    """Draw a line for each thing that training needs and a server does not."""
    parts, signs = [], []
    for index, name in enumerate(("random", "graph", "large")):
        y = 8 + 44 * index
        sign = "?" if wrong is None else "✗" if name in wrong else "✓"
        colours = {"?": drawing.MUTED, "✗": drawing.TROUBLE, "✓": drawing.SUCCESS}
        parts += [
            drawing.box(2, y, 436, 36, colour=colours[sign], name=name),
            drawing.text(22, y + 23, sign, ink=colours[sign], size=16, anchor="middle"),
            drawing.text(42, y + 23, labels[f"check_{name}"]),
        ]
        signs.append(f"{sign} {labels[f'check_{name}']}")
    return drawing.picture(144, *parts, described="; ".join(signs))


def is_ready(step: Deployment, answer: Answer) -> bool:
    """Check that the server gives repeatable outputs without a graph, from a small file."""
    del step
    return answer.prediction == "nothing"
