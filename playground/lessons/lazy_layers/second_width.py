"""Step on the second batch of a lazy layer: the first batch has fixed its width."""

from enum import StrEnum

from playground.lessons.lazy_layers.weight_boxes import Moment, box, draw, lazy_box
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number


class Meeting(StrEnum):
    """Source of the second width."""

    SECOND_BATCH = "second_batch"
    USED_TWICE = "used_twice"


class SecondWidth(Step):
    """Pass a second batch to a lazy layer, or one batch through it twice."""

    meeting: Meeting = Meeting.SECOND_BATCH
    width: int = number(1, 100, default=20)
    second: int = number(1, 100, default=21)

    def code(self, w: Words) -> str:
        head = "import torch\nfrom torch import nn\n\n"
        if self.meeting is Meeting.USED_TWICE:
            return (
                f"{head}layer = nn.LazyLinear({w.second})\n"
                f"net = nn.Sequential(layer, nn.ReLU(), layer)\n"
                f"Y = net(torch.rand(2, {w.width})){w.asked}\n"
            )
        return (
            f"{head}layer = nn.LazyLinear(256)\n"
            f"layer(torch.rand(2, {w.width}))\n"
            f"print(layer)\n"
            f"Y = layer(torch.rand(5, {w.second})){w.asked}\n"
        )

    @property
    def outputs(self) -> int:
        return self.second if self.meeting is Meeting.USED_TWICE else 256

    def answer(self, run: Run) -> Answer:
        layer = run["layer"]
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(is_ok=run.outcome.ok),
            facts={"layer_now": str(layer)},
            placeholders={
                "width": self.width,
                "second": self.second,
                "shape": str(tuple(layer.weight.shape)),
            },
            data=(Moment(label="now", boxes=(box("layer", layer),)),),
        )

    def explanation(self, *, is_ok: bool) -> str:
        if self.meeting is Meeting.USED_TWICE:
            return "equal-widths" if is_ok else "decided-on-the-way"
        return "same-width" if is_ok else "decided-once"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is not None:
            return draw(answer.data, labels)
        boxes = (lazy_box("layer", "LazyLinear", self.outputs),)
        return draw((Moment(label="made", boxes=boxes),), labels)


def twice_in_one_batch(step: SecondWidth, answer: Answer) -> bool:
    """Return whether the forward pass works with one lazy layer in two places."""
    return step.meeting is Meeting.USED_TWICE and answer.outcome.ok
