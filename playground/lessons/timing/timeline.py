"""Step on the order of work in Python, the queue of a GPU and a second stream."""

from collections.abc import Callable, Iterable
from dataclasses import astuple, replace
from enum import StrEnum
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.lessons.timing import lanes
from playground.steps import Answer, Labels, Machine, Picture, Run, Step, Words, run_program
from playground.steps.program_run import FILE_NAME


class Memory(StrEnum):
    """Kinds of memory for the batch; the value is the code that the program shows."""

    PAGEABLE = "torch.rand(500, 500)"
    PINNED = "torch.rand(500, 500).pin_memory()"


class Wait(StrEnum):
    """The value is the code that the program shows."""

    NOTHING = "# nothing waits here"
    ITEM = "value = Y.sum().item()"
    SYNCHRONIZE = "torch.cuda.synchronize()"


class Timeline(Step):
    """Queue a product and a copy on a GPU, and predict which are done when Python continues.

    The experiment runs the program on simulated devices and records which calls queue work and
    which wait; the timeline is computed from these. So it is not a plain run of the program.
    """

    uses_hardware: ClassVar[bool] = False

    source: Memory = Memory.PAGEABLE
    non_blocking: bool = True
    wait: Wait = Wait.NOTHING
    on_second_stream: bool = False

    def host(self) -> Machine:
        """Return simulated devices, even if the visitor has chosen another machine."""
        return Machine()

    def code(self, w: Words) -> str:
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

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program, and record which calls queue work or wait for it."""
        del report_progress
        from playground.machines.simulated.streams import recording_queues  # loads torch

        with self.running():
            with recording_queues(FILE_NAME) as calls:
                run = run_program(self.program())
            recorded = [lanes.Call(*astuple(each)) for each in calls]
            answer = self.found(recorded)
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def answer(self, run: Run) -> Answer:
        """Raise NotImplementedError: ``found`` makes the answer from the recorded calls."""
        raise NotImplementedError

    def found(self, recorded: Iterable[lanes.Call]) -> Answer:
        """Determine from the calls after the first ``synchronize`` which work is certainly done."""
        calls = list(recorded)
        first = next(i for i, each in enumerate(calls) if each.waits_for == lanes.ALL_STREAMS)
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
        if answer is None:
            return None
        return lanes.draw(answer.data, self.asked_line() or 0, labels)


def copies_beside_the_product(step: Timeline, answer: Answer) -> bool:
    """Return whether the copy overlaps the product, without a wait, and the loss is read."""
    return (
        step.on_second_stream
        and step.source is Memory.PINNED
        and step.wait is Wait.ITEM
        and answer.prediction == "Y"
    )
