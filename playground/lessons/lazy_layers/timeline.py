"""Step on the first forward pass: it gives each lazy layer its shape, in the order of the calls."""

from enum import StrEnum

from playground.lessons.lazy_layers.weight_boxes import Box, Moment, box, draw, lazy_box
from playground.steps import Answer, Device, Labels, Machine, Picture, Run, Step, Words, number

NONE = "none"


class First(StrEnum):
    """The first layer; the value is its code."""

    LAZY = "nn.LazyLinear(256)"
    TWO_NUMBERS = "nn.LazyLinear(20, 256)"


class Last(StrEnum):
    """The last layer; the value is its code."""

    LAZY = "nn.LazyLinear(10)"
    EAGER = "nn.Linear(256, 10)"


class Dtype(StrEnum):
    """Data type of the batch; the value is the code."""

    FLOAT32 = "torch.float32"
    INT64 = "torch.int64"


class Timeline(Step):
    """Create a lazy network, move it, and pass it its first batch."""

    machine: Machine = Machine()
    first: First = First.LAZY
    last: Last = Last.LAZY
    device: Device = "cuda:0"
    width: int = number(1, 100, default=20)
    dtype: Dtype = Dtype.FLOAT32

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            net = nn.Sequential(
                {w.first}, nn.ReLU(), {w.last})
            net.to({w.device})
            X = torch.ones(2, {w.width}, dtype={w.dtype}, device={w.device})
            Y = net(X){w.asked}
            print(net)
        """

    @property
    def outputs(self) -> int:
        """Outputs of the first layer."""
        return 20 if self.first is First.TWO_NUMBERS else 256

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the correct shape, the transposed one, one with the batch size, and none."""
        del devices
        shapes = (
            (self.outputs, self.width),
            (self.width, self.outputs),
            (256, 20),
            (self.outputs, 2),
        )
        return *dict.fromkeys(map(str, shapes)), NONE

    def answer(self, run: Run) -> Answer:
        """Read the shape, even if the forward pass failed."""
        net = run["net"]
        first, last = net[0], net[2]
        is_shaped = not type(first).__name__.startswith("Lazy")
        shape = str(tuple(first.weight.shape)) if is_shaped else NONE
        explanation = self.explanation(run, is_shaped=is_shaped)
        return Answer(
            prediction=shape,
            explanation=explanation,
            facts={
                "first_now": type(first).__name__,
                "last_now": type(last).__name__,
                "device_now": str(first.weight.device),
            },
            placeholders={"shape": shape, "device": self.device, "width": self.width},
            is_silent_failure=run.outcome.ok and self.first is First.TWO_NUMBERS,
            data=(
                *self.moments(),
                Moment(label="after", boxes=(box("net[0]", first), box("net[2]", last))),
            ),
        )

    def moments(self) -> tuple[Moment, ...]:
        """Describe the moment before the first batch."""
        return (Moment(label="made", boxes=self.waiting()),)

    def waiting(self) -> tuple[Box, Box]:
        """Describe both layers before the first batch."""
        first = lazy_box("net[0]", "LazyLinear", self.outputs)
        if self.last is Last.LAZY:
            return first, lazy_box("net[2]", "LazyLinear", 10)
        return first, Box(name="net[2]", kind="Linear", shape="10 × 256")

    def explanation(self, run: Run, *, is_shaped: bool) -> str:
        if not is_shaped:
            return "never-moved"
        if self.dtype is Dtype.INT64:
            return "failed-and-shaped"
        if self.first is First.TWO_NUMBERS:
            return "second-number-is-bias" if run.outcome.ok else "second-number-does-not-fit"
        return "shaped-in-order" if self.last is Last.LAZY else "only-the-first"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        return draw(answer.data if answer else self.moments(), labels)


def shaped_by_failure(step: Timeline, answer: Answer) -> bool:
    """Return whether the forward pass failed after it had set a shape."""
    del step
    return not answer.outcome.ok and answer.prediction != NONE
