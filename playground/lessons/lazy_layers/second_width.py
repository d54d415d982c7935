"""The first batch fixes the width: a second one must have it too."""

from enum import StrEnum

from playground.lessons.lazy_layers.weight_boxes import Moment, box, draw, lazy_box
from playground.palette import Words as Labels
from playground.steps import Answer, Picture, Run, Step, Words, number


class Meeting(StrEnum):
    """Where the second width comes from."""

    SECOND_BATCH = "second_batch"
    USED_TWICE = "used_twice"


class SecondWidth(Step):
    """Send a second batch into a lazy layer, or one batch through it twice."""

    meeting: Meeting = Meeting.SECOND_BATCH
    width: int = number(1, 100, default=20)
    second: int = number(1, 100, default=21)

    def code(self, w: Words) -> str:
        """The layer meets both widths."""
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
        """Of the layer."""
        return self.second if self.meeting is Meeting.USED_TWICE else 256

    def answer(self, run: Run) -> Answer:
        """Say whether the second width fits."""
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
        """Choose the explanation that fits this case."""
        if self.meeting is Meeting.USED_TWICE:
            return "equal-widths" if is_ok else "decided-on-the-way"
        return "same-width" if is_ok else "decided-once"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the weight, before and after."""
        if answer is not None:
            return draw(answer.data, labels)
        boxes = (lazy_box("layer", "LazyLinear", self.outputs),)
        return draw((Moment(label="made", boxes=boxes),), labels)


def twice_in_one_batch(step: SecondWidth, answer: Answer) -> bool:
    """One lazy layer is used in two places, and the batch comes through."""
    return step.meeting is Meeting.USED_TWICE and answer.outcome.ok
