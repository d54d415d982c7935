"""Step on reading a result of a GPU: the copied bytes, and whether Python waits."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.steps import (
    Answer,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
    one_of,
    run_program,
)
from playground.steps.program_run import FILE_NAME


class Reading(StrEnum):
    """The value is the code that the program shows."""

    BRANCH = "bool((Y > 0).any())"
    ITEM = "Y.sum().item()"
    TOLIST = "Y.tolist()"
    CPU = "Y.cpu()"
    NUMPY = "Y.detach().cpu().numpy()"
    BARE_NUMPY = "Y.detach().numpy()"
    ARGMAX = "Y.argmax(dim=1)"
    NON_BLOCKING = 'Y.to("cpu", non_blocking=True)'


ONE_VALUE = {Reading.ITEM: 4, Reading.BRANCH: 1}  # bytes of a float32, of a bool


class ReadingBack(Step):
    """Compute on a GPU with a network, and read the result in one of several ways.

    The experiment runs the program on simulated devices and records which calls wait for their
    queue. So it is not a plain run of the program.
    """

    simulates: ClassVar[bool] = True
    uses_hardware: ClassVar[bool] = False

    device: str = one_of("cpu", "cuda:0", default="cuda:0")
    reading: Reading = Reading.BRANCH
    is_fixed: bool = fix_field()

    def host(self) -> Machine:
        """Return simulated devices, even if the visitor has chosen another machine."""
        return Machine()

    def code(self, w: Words) -> str:
        is_array = self.is_fixed and self.reading is Reading.BARE_NUMPY
        is_late = self.is_fixed and self.reading is Reading.NON_BLOCKING
        lines = [
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            f"net = nn.Linear(4, 3).to({w.device})",
            f'Y = net(torch.ones(2, 4, device="{self.device}"))',
            f"read = {Reading.NUMPY if is_array else w.reading}{w.asked}",
            *(["torch.cuda.synchronize()"] if is_late else []),
            "print(read)",
        ]
        return "\n".join(lines)

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program, and record which of its calls wait."""
        del report_progress
        from playground.machines.simulated.streams import recording_queues  # loads torch

        with self.running():
            with recording_queues(FILE_NAME) as calls:
                run = run_program(self.program())
            asked = self.asked_line()
            waited = any(each.waits_for is not None for each in calls if each.line == asked)
            answer = self.found(run, is_waiting=waited)
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def found(self, run: Run, *, is_waiting: bool) -> Answer:
        """Describe whether Python waited, and what was copied to the CPU."""
        is_ok, is_gpu = run.outcome.ok, self.device != "cpu"
        place = self.place(run)
        copied = 0
        if is_ok and is_gpu and place != self.device:
            copied = ONE_VALUE.get(self.reading, run["Y"].nbytes)
        is_late = is_gpu and self.reading is Reading.NON_BLOCKING and not self.is_fixed
        prediction = "waits" if is_waiting else "goes_on"
        return Answer(
            prediction=prediction if is_ok else run.outcome.error_type,
            explanation=self.explanation(is_ok=is_ok, is_waiting=is_waiting, is_late=is_late),
            facts={
                "Y_device": str(run["Y"].device),
                "read_type": type(run["read"]).__name__ if is_ok else None,
                "copied": f"{copied} B" if is_ok else None,
            },
            placeholders={"device": self.device, "bytes": copied, "count": run["Y"].numel()},
            is_silent_failure=is_late,
            fix=self.tried_fix() if is_late or not is_ok else None,
            data=self.map(place, f"{copied} B" if copied else ""),
        )

    def place(self, run: Run) -> str:
        """Return the place of the value; empty if there is none."""
        value = run.get("read")
        if not run.outcome.ok:
            return ""
        is_tensor_or_array = hasattr(value, "dtype")
        return str(getattr(value, "device", "cpu")) if is_tensor_or_array else device_map.PYTHON

    def explanation(self, *, is_ok: bool, is_waiting: bool, is_late: bool) -> str:
        if not is_ok:
            return "array-needs-host"
        if self.device == "cpu":
            return "nothing-to-wait-for"
        if self.reading is Reading.NON_BLOCKING:
            return "arrives-later" if is_late else "waited-afterwards"
        if not is_waiting:
            return "stays-there"
        return "one-value-waits" if self.reading in ONE_VALUE else "whole-result-waits"

    def answer(self, run: Run) -> Answer:
        """Raise NotImplementedError: ``found`` makes the answer from the recorded calls."""
        raise NotImplementedError

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map("", ""))

    def map(self, place: str, copied: str) -> device_map.DeviceMap:
        """Describe the machine with the result and what was read."""
        items: Iterable[device_map.Item] = (device_map.Item(label="Y", place=self.device),)
        if place:
            items = (*items, device_map.Item(label="read", place=place))
        return device_map.DeviceMap(
            devices=("cpu", "cuda:0"),
            is_simulated=True,
            items=tuple(items),
            copies=(("Y", "read", copied),) if copied else (),
            has_python=True,
        )


def decides_without_waiting(step: ReadingBack, answer: Answer) -> bool:
    """Return whether the result stays on the GPU, nothing is read, and Python continues."""
    return (
        answer.prediction == "goes_on" and answer.facts["copied"] == "0 B" and step.device != "cpu"
    )
