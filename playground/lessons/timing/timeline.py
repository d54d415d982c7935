"""What Python, the queue of a GPU and a second stream do, in order: a schematic timeline."""

from collections.abc import Callable, Iterable
from dataclasses import astuple, replace
from enum import StrEnum
from typing import Any, ClassVar

from playground.compute.streaming import tell_nobody
from playground.lessons.timing import lanes
from playground.palette import Words as Labels
from playground.steps import Answer, Machine, Picture, Run, Step, Words, run_program
from playground.steps.program import FILE_NAME


class Memory(StrEnum):
    """What kind of memory the batch is in; the value is the code that the program shows."""

    PAGEABLE = "torch.rand(500, 500)"
    PINNED = "torch.rand(500, 500).pin_memory()"


class Wait(StrEnum):
    """The value is the code that the program shows."""

    NOTHING = "# nothing waits here"
    ITEM = "value = Y.sum().item()"
    SYNCHRONIZE = "torch.cuda.synchronize()"


class Timeline(Step):
    """Queue a product and a copy on a GPU, and ask what is done when Python goes on.

    The experiment runs the program on simulated devices and records which calls queue work and
    which wait; the timeline is computed from these. So it is no plain run of the program.
    """

    uses_hardware: ClassVar[bool] = False

    source: Memory = Memory.PAGEABLE
    non_blocking: bool = True
    wait: Wait = Wait.NOTHING
    on_second_stream: bool = False

    def host(self) -> Machine:
        """Simulated devices, whatever machine the visitor has chosen."""
        return Machine()

    def code(self, w: Words) -> str:
        """A product, a copy, perhaps a call that waits, and the line that is asked about."""
        copy = f'X = batch.to("cuda:0", non_blocking={w.non_blocking})'
        if self.on_second_stream:
            copy = f"with torch.cuda.stream(second):\n    {copy}"
        lines = [
            "import torch",
            "",
            f"batch = {w.source}",
            'W = torch.rand(500, 500, device="cuda:0")',
            *(["second = torch.cuda.Stream()"] if self.on_second_stream else []),
            "torch.cuda.synchronize()  # the queues are empty",
            "Y = W @ W",
            copy,
            w.wait,
            f'print("Python is here"){w.asked}',
        ]
        return "\n".join(lines)

    def experiment(self, report_progress: Callable[[Any], None] = tell_nobody) -> Answer:
        """Run the program, and record what its calls queue and wait for."""
        del report_progress
        from playground.machines.simulated.queues import recording_queues  # loads torch

        with self.running():
            with recording_queues(FILE_NAME) as calls:
                run = run_program(self.program())
            recorded = [lanes.Call(*astuple(each)) for each in calls]
            answer = self.found(recorded)
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def answer(self, run: Run) -> Answer:
        """Not used: what was recorded decides."""
        raise NotImplementedError

    def found(self, recorded: Iterable[lanes.Call]) -> Answer:
        """Tell from the calls after the first ``synchronize`` which work is certainly done."""
        calls = list(recorded)
        first = next(i for i, each in enumerate(calls) if each.waits_for == lanes.EVERY)
        calls = calls[first + 1 :]
        done = dict(zip((each.name for each in calls), lanes.certain(calls), strict=True))
        kind = {
            (True, True): "both",
            (True, False): "X",
            (False, True): "Y",
            (False, False): "neither",
        }
        prediction = kind[done["to"], done["matmul"]]
        return Answer(
            prediction=prediction,
            explanation=self.explanation(prediction),
            data=tuple(calls),
        )

    def explanation(self, prediction: str) -> str:
        """Choose the explanation that fits this case."""
        if self.wait is Wait.SYNCHRONIZE:
            return "all-waited-for"
        if self.wait is Wait.ITEM and self.non_blocking:
            return "item-waits-for-its-stream" if prediction == "Y" else "item-waits-in-order"
        if self.wait is Wait.ITEM:
            return "both-waited-for"
        if not self.non_blocking:
            return "copy-waits-alone" if prediction == "X" else "copy-waits-in-order"
        return "pinned-and-queued" if self.source is Memory.PINNED else "staged-and-queued"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """The lanes; before the answer nothing is known of them."""
        if answer is None:
            return None
        return lanes.draw(answer.data, self.asked_line() or 0, labels)


def copies_beside_the_product(step: Timeline, answer: Answer) -> bool:
    """The copy runs beside the product, Python waits for neither, and the loss is read."""
    return (
        step.on_second_stream
        and step.source is Memory.PINNED
        and step.wait is Wait.ITEM
        and answer.prediction == "Y"
    )
