"""Step "sequential": the inputs and outputs of three layers in a row."""

from enum import StrEnum
from typing import Any

from playground.lessons.blocks.pictures import Stage, flow, parameters_of, way
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

MAX_WIDTH = 512


class Batch(StrEnum):
    """The shape of X, as the program writes it."""

    EXAMPLES = "2, 20"
    SEQUENCES = "2, 3, 20"
    ONE = "20"
    TURNED = "20, 2"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(map(int, self.value.split(", ")))


class Sequential(Step):
    """Send a batch through Linear, ReLU and Linear."""

    batch: Batch = Batch.EXAMPLES
    hidden: int = number(1, MAX_WIDTH, default=256)
    expected: int = number(1, MAX_WIDTH, default=256)
    out: int = number(1, MAX_WIDTH, default=10)

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            net = nn.Sequential(
                nn.Linear(20, {w.hidden}),
                nn.ReLU(),
                nn.Linear({w.expected}, {w.out}),
            )
            X = torch.rand({w.batch})
            Y = net(X){w.asked}
            print(Y.shape)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the shapes of each layer's output, a mistaken shape, and an error."""
        del devices
        leading = self.batch.sizes[:-1]
        shapes = [(*leading, self.out), (*leading, self.hidden), (self.out, *leading), (self.out,)]
        return (*dict.fromkeys(str(each) for each in shapes), "RuntimeError")

    def answer(self, run: Run) -> Answer:
        """Follow the batch from layer to layer."""
        Y = run.get("Y")
        return Answer(
            prediction=run.outcome.error_type if Y is None else str(tuple(Y.shape)),
            explanation=self.explanation(is_ok=Y is not None),
            facts={
                "output_shape": None if Y is None else str(tuple(Y.shape)),
                "parameters": parameters_of(run["net"]),
            },
            placeholders={
                **{name: getattr(self, name) for name in ("hidden", "expected", "out")},
                "given": str(self.batch.sizes),
                "last": self.batch.sizes[-1],
            },
            data=tuple(stages(run["net"], run["X"])),
        )

    def explanation(self, *, is_ok: bool) -> str:
        if not is_ok:
            return "first-refuses" if self.batch is Batch.TURNED else "second-refuses"
        return {Batch.ONE: "one-example", Batch.SEQUENCES: "all-but-the-last"}.get(
            self.batch, "every-layer"
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Draw the layers, and after the answer the shapes between them."""
        del labels
        names = ("0", "Linear"), ("1", "ReLU"), ("2", "Linear")
        plain = [
            Stage(path=path, label=name, has_parameters=name != "ReLU") for path, name in names
        ]
        known = answer.data if answer else plain
        first = str(self.batch.sizes)
        return Picture(flow(first, known), {"way": way(first, known)})


def stages(net: Any, batch: Any) -> list[Stage]:
    """Return each layer of a Sequential with the shape after it, as far as the batch comes."""
    found: list[Stage] = []
    for path, layer in net.named_children():
        is_stopped = bool(found) and not found[-1].shape
        if not is_stopped:
            try:
                batch = layer(batch)
            except RuntimeError:
                batch = None
        count = parameters_of(layer)
        found.append(
            Stage(
                path=path,
                label=type(layer).__name__,
                shape="" if batch is None else str(tuple(batch.shape)),
                note=f"{count:,}" if count else "",
                has_parameters=count > 0,
                is_failing=batch is None and not is_stopped,
            )
        )
    return found


def gives_sixteen(step: Sequential, answer: Answer) -> bool:
    """Check that sequences of vectors become sequences with 16 features."""
    return step.batch is Batch.SEQUENCES and answer.prediction == "(2, 3, 16)"
