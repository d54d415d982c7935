"""Step "map_location": a file saved on a GPU, loaded on a machine that may have none."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.lessons.save_and_load import drawing
from playground.machines.machine import DeviceName
from playground.steps import (
    Answer,
    Files,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
    number,
    one_of,
    run_program,
)
from playground.steps.files import scratch_folder
from playground.steps.program_text import changed_lines

FILE = "mlp.params"
WHERE_SAVED = Machine(gpus=2)
HERE = "# on this machine\n"
ENTRY = '"0.weight"'


class Argument(StrEnum):
    """The argument ``map_location``; the value is the code that the program shows."""

    NONE = "None"
    CPU = '"cpu"'
    CUDA = '"cuda"'
    BY_NAME = '{"cuda:0": "cpu"}'
    FUNCTION = "lambda s, location: s"


class MapLocation(Step):
    """Save on a machine with two GPUs, and load on another machine.

    ``experiment`` is overridden: the two halves of the program run on two simulated machines.
    """

    uses_hardware: ClassVar[bool] = False

    source: str = one_of("cuda:0", "cuda:1", "cpu", default="cuda:0")
    gpu_count: int = number(0, 4, default=0)
    argument: Argument = Argument.NONE
    is_fixed: bool = fix_field()

    def host(self) -> Machine:
        return Machine(gpus=self.gpu_count)

    def files(self) -> Files:
        return Files(downloads=(FILE,))

    def code(self, w: Words) -> str:
        """Join the programs of both machines into one text."""
        argument = Argument.CPU.value if self.is_fixed else w.argument
        return f"""
            # on a machine with two GPUs
            import torch
            from torch import nn

            net = nn.Sequential(nn.Linear(20, 256), nn.ReLU())
            net.to({w.source})
            torch.save(net.state_dict(), "{FILE}")

            {HERE.strip()}
            import torch
            state = torch.load("{FILE}", map_location={argument}){w.asked}
            print(state[{ENTRY}].device)
        """

    def halves(self) -> tuple[str, str]:
        """Return the two programs; the lines of the second one keep their numbers."""
        first, mark, second = self.program().partition(HERE)
        return first, "\n" * first.count("\n") + mark + second

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run each half on its machine; the file goes from one to the other."""
        del report_progress
        first, second = self.halves()
        with scratch_folder():
            with replace(self, gpu_count=WHERE_SAVED.gpus).machine_running():
                saved = run_program(first)
                tag = str(saved["torch"].load(FILE)[ENTRY.strip('"')].device)
            with self.machine_running():
                run = run_program(second)
                answer = self.answer_of(run, tag)
        return replace(
            answer,
            lines=(*saved.lines, *run.lines),
            outcome=run.outcome,
            stopped_at=run.stopped_at,
        )

    def machine_running(self) -> Any:
        """Return a context that holds the machine alone."""
        from playground.machines.machine_context import (
            running_on,  # loads torch: only a worker calls this
        )

        return running_on(self.host())

    def written_file(self, name: str) -> bytes:
        """Run the first half and return the file; runs in the worker."""
        with scratch_folder(), replace(self, gpu_count=WHERE_SAVED.gpus).machine_running():
            run_program(self.halves()[0])
            return Path(name).read_bytes()

    def answer_of(self, run: Run, tag: DeviceName) -> Answer:
        """Report the devices of the tensors after loading."""
        state = run.get("state")
        device = None if state is None else str(state[ENTRY.strip('"')].device)
        items = []
        if state is not None:
            items.append(device_map.item("state", state[ENTRY.strip('"')]))
        return Answer(
            prediction=device or run.outcome.error_type,
            explanation=self.explanation(device),
            facts={"tag": tag, "loaded_on": device},
            placeholders={"gpu_count": self.gpu_count},
            fix=None if run.outcome.ok else self.fixed_line(),
            data=self.map(*items, works=run.outcome.ok),
        )

    def fixed_line(self) -> tuple[str, str] | None:
        """Return the faulty line and its replacement, which is tried on the same file."""
        fixed = replace(self, is_fixed=True)
        is_working = run_program(fixed.halves()[1]).outcome.ok
        return changed_lines(self.program(), fixed.program()) if is_working else None

    def explanation(self, device: DeviceName | None) -> str:
        if device is None:
            if self.gpu_count:
                return "no-such-gpu"
            ways = {Argument.BY_NAME: "map-missed", Argument.CUDA: "asked-for-cuda"}
            return ways.get(self.argument, "no-gpu-at-all")
        if self.source == "cpu" and device == "cpu":
            return "cpu-file"
        is_mapped = self.is_fixed or self.argument is Argument.CUDA
        return "back-where-it-was" if device == self.source and not is_mapped else "mapped"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the devices of this machine, where the tensors are, and the file's tags."""
        found: device_map.DeviceMap = answer.data if answer else self.map()
        source_text = labels["file_says"].format(file=FILE, tag=self.source)
        return device_map.draw(found, [drawing.text(0, 12, source_text)])

    def map(self, *items: device_map.Item, works: bool | None = None) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.host()),
            is_simulated=True,
            items=items,
            works=works,
        )


def is_on_the_only_gpu(step: MapLocation, answer: Answer) -> bool:
    """Check that a file of the second GPU was loaded to the first and only GPU."""
    is_asked = step.source == "cuda:1" and step.gpu_count == 1
    return is_asked and answer.prediction == "cuda:0"


def loads_anywhere(step: MapLocation, answer: Answer) -> bool:
    """Check that a file of a GPU is loaded without a GPU."""
    return step.source != "cpu" and step.gpu_count == 0 and answer.outcome.ok
