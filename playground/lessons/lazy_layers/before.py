"""Step on a lazy layer before its first batch: its weight has no shape."""

from enum import StrEnum

from playground.lessons.lazy_layers.weight_boxes import Moment, box, draw, lazy_box
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field


class Layer(StrEnum):
    """The value is the code that the program shows."""

    LINEAR = "nn.LazyLinear(256)"
    CONVOLUTION = "nn.LazyConv2d(256, 3)"


class Question(StrEnum):
    """The question to the layer; the value is the code."""

    SHAPE = "layer.weight.shape"
    SIZE = "layer.weight.size()"
    NUMEL = "layer.weight.numel()"
    DATA = "layer.weight.data"
    DEVICE = "layer.weight.device"
    DTYPE = "layer.weight.dtype"
    BIAS = "layer.bias"


EMPTY = (Question.SIZE, Question.DATA)  # answered for a tensor without elements
BATCHES = {Layer.LINEAR: "2, 20", Layer.CONVOLUTION: "2, 20, 8, 8"}


class Before(Step):
    """Inspect a lazy layer before its first batch."""

    layer: Layer = Layer.LINEAR
    question: Question = Question.SHAPE
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        batch = f"layer(torch.rand({BATCHES[self.layer]}))\n" if self.is_fixed else ""
        return (
            f"import torch\nfrom torch import nn\n\n"
            f"layer = {w.layer}\n"
            f"print(layer.weight)\n"
            f"{batch}"
            f"print({w.question}){w.asked}\n"
        )

    def answer(self, run: Run) -> Answer:
        explanation = self.explanation(is_ok=run.outcome.ok)
        is_empty = explanation == "answers-for-nothing"
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=explanation,
            placeholders={"layer": self.layer, "question": self.question},
            is_silent_failure=is_empty,
            fix=self.tried_fix() if is_empty or not run.outcome.ok else None,
            data=(Moment(label="now", boxes=(box("layer", run["layer"]),)),),
        )

    def explanation(self, *, is_ok: bool) -> str:
        if self.is_fixed:
            return "after-batch"
        if not is_ok:
            return "shape-refused" if self.question is Question.SHAPE else "values-refused"
        return "answers-for-nothing" if self.question in EMPTY else "known-from-the-start"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is not None:
            return draw(answer.data, labels)
        kind = self.layer.split("(")[0].removeprefix("nn.")
        return draw((Moment(label="made", boxes=(lazy_box("layer", kind, 256),)),), labels)


def answer_about_nothing(step: Before, answer: Answer) -> bool:
    """Return whether a question about size or values succeeds although there are none."""
    del step
    return answer.outcome.ok and answer.explanation == "answers-for-nothing"
