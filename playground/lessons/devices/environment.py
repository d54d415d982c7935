"""Reference "environment": this computer's hardware, as a report and as ``nvidia-smi`` shows it."""

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.machines.hardware import Accelerator, Inventory, format_inventory
from playground.machines.nvidia_smi import NvidiaSmi, NvidiaSmiState, read_nvidia_smi
from playground.steps import (
    Answer,
    Labels,
    Line,
    Machine,
    Picture,
    Step,
    Words,
    device_map,
    run_program,
)
from playground.units import MEBIBYTE, format_bytes

ABSENT = "N/A"
WIDTH, LINE = 360, 20
FIELDS = (  # in the order in which nvidia-smi prints them
    *("smi_cuda", "smi_gpu", "smi_temp", "smi_perf", "smi_power"),
    *("smi_memory", "smi_util", "smi_mig"),
)
COMPLAINTS = {
    NvidiaSmiState.ABSENT: "nvidia-smi: command not found",
    NvidiaSmiState.TIMED_OUT: "nvidia-smi: no answer in time",
}


class Report(StrEnum):
    """The kind of report."""

    NVIDIA_SMI = "nvidia_smi"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Smi:
    """Data of the picture: the fields of ``nvidia-smi`` for each GPU."""

    accelerators: tuple[Accelerator, ...]
    is_simulated: bool
    driver_version: str | None = None
    cuda_version: str | None = None


class Environment(Step):
    """Inspect this computer, or the report of a simulated machine.

    ``experiment`` is overridden: no program of the lab can start ``nvidia-smi``, and torch does
    not know memory, driver and sensors of the computer.
    """

    deterministic: ClassVar[bool] = False  # readings change

    machine: Machine = Machine()
    report: Report = Report.NVIDIA_SMI

    def code(self, w: Words) -> str:
        """Print PyTorch's own view of the same facts."""
        del w
        if self.report is Report.NVIDIA_SMI:
            return """
                # !nvidia-smi
                import torch

                for i in range(torch.cuda.device_count()):
                    print(torch.cuda.get_device_name(i))
                    print(torch.cuda.get_device_properties(i))
            """
        return """
            # python -m torch.utils.collect_env
            import platform
            import torch

            print(torch.__version__, torch.version.cuda, torch.version.hip)
            print(torch.backends.cudnn.version(), torch.get_num_threads())
            print(platform.python_version())
            print(torch.accelerator.is_available())
            print(torch.accelerator.current_accelerator(True))
            print(torch.accelerator.device_count())
        """

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program, and read the facts that it cannot."""
        # loads torch
        from playground.machines.inventory import read_inventory, read_torch_devices

        del report_progress
        here = read_inventory()
        with self.running():
            run = run_program(self.program())
            found = read_torch_devices() if self.machine.is_simulated else here.accelerators
        if self.report is Report.ENVIRONMENT:
            first, answer = format_inventory(here), self.environment(here, found)
        else:
            first, answer = "", self.nvidia_smi(here, found)
            if not self.machine.is_simulated:
                first = printed(read_nvidia_smi())
        lines = (Line(number=1, printed=first), *run.lines) if first else run.lines
        return replace(answer, lines=lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def environment(self, here: Inventory, found: tuple[Accelerator, ...]) -> Answer:
        """Report the computer, and the accelerators of the machine."""
        memory_bytes = here.memory_total_bytes
        names = [each.name or each.kind.value for each in found]
        return Answer(
            prediction="",
            explanation="environment",
            facts={
                "torch": here.torch_version,
                "cuda_build": here.cuda_build or ABSENT,
                "python": here.python_version,
                "threads": here.threads,
                "memory": None if memory_bytes is None else format_bytes(memory_bytes),
                "accelerators": ", ".join(names) or None,
            },
        )

    def nvidia_smi(self, here: Inventory, found: tuple[Accelerator, ...]) -> Answer:
        """Report the fields of ``nvidia-smi``, and the kind of each accelerator."""
        is_simulated = self.machine.is_simulated
        rows = tuple(
            (
                each.device or ABSENT,
                "simulated" if is_simulated else each.kind.value,
                each.uuid or ABSENT,
                each.compute_capability or each.architecture or ABSENT,
                each.multiprocessors or ABSENT,
                size(each.memory_free_bytes),
            )
            for each in found
        )
        columns = ("device", "kind", "uuid", "capability", "multiprocessors", "memory_free")
        return Answer(
            prediction="",
            explanation="simulated" if is_simulated else "this-server",
            table=(columns, *rows) if rows else (),
            data=Smi(
                accelerators=found,
                is_simulated=is_simulated,
                driver_version=None if is_simulated else here.driver_version,
                cuda_version=None if is_simulated else here.driver_cuda_version,
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the output of ``nvidia-smi`` with the meaning of each field."""
        return draw(answer.data, labels) if answer and answer.data else None


def printed(answer: NvidiaSmi) -> str:
    """Return the output as a terminal shows it."""
    return COMPLAINTS.get(answer.state, answer.output)


def size(size_bytes: int | None) -> str:
    """Format a size as ``nvidia-smi`` does."""
    return ABSENT if size_bytes is None else f"{size_bytes // MEBIBYTE}MiB"


def reading(value: object, unit: str) -> str:
    """Format a sensor's value; a missing one is not zero."""
    return ABSENT if value is None else f"{value}{unit}"


def draw(smi: Smi, labels: Labels) -> Picture:
    """Draw a block for each GPU, and below it the fields with their meaning."""
    rows = list(_output(smi, labels))
    parts = list(_box(rows)) if rows else []
    top = LINE * len(rows) + 30 if rows else 4
    for index, name in enumerate(FIELDS):
        field, _, meaning = labels[name].replace("：", ": ").partition(": ")
        y = top + 18 + 38 * index
        parts.append(
            f'<text x="4" y="{y}" font-size="13" style="fill:var(--tp-ink)"><tspan'
            f' font-weight="650">{html.escape(field)}</tspan></text><text x="4" y="{y + 16}"'
            f' font-size="13" style="fill:var(--tp-muted)">{html.escape(meaning)}</text>'
        )
    height = top + 38 * len(FIELDS) + 12
    svg = f'<svg viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg>'
    return Picture(svg, {"described": "; ".join(text for text, _ in rows) or "—"})


def _output(smi: Smi, labels: Labels) -> Iterator[tuple[str, str]]:
    """Return the lines of the output with their colours; none without a driver."""
    if not smi.is_simulated and smi.driver_version is None:
        return
    yield labels["simulated_output"] if smi.is_simulated else "NVIDIA-SMI", "var(--tp-muted)"
    head = f"Driver {smi.driver_version or ABSENT}   CUDA Version {smi.cuda_version or ABSENT}"
    yield head, "var(--tp-ink)"
    for place, each in enumerate(smi.accelerators):
        ink = device_map.colours(f"cuda:{place}")[2]
        for text in block(place, each):
            yield text, ink


def block(place: int, each: Accelerator) -> Iterator[str]:
    """Return the lines of one GPU, with its bus address if that is known."""
    index = place if each.physical_index is None else each.physical_index
    watts = f"{reading(each.power_watts, 'W')} / {reading(each.power_limit_watts, 'W')}"
    yield f"GPU {index}  {each.name or ABSENT}"
    yield f"  Temp {reading(each.temperature_celsius, 'C')}   Pwr:Usage/Cap {watts}"
    used = f"{size(each.memory_used_bytes)} / {size(each.memory_total_bytes)}"
    yield f"  Memory-Usage {used}"
    yield f"  GPU-Util {reading(each.utilisation_percent, '%')}"


def _box(rows: list[tuple[str, str]]) -> Iterator[str]:
    yield (
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{LINE * len(rows) + 16}" rx="8"'
        f' style="fill:none;stroke:var(--tp-line)" stroke-width="1.5"/>'
    )
    for index, (text, colour) in enumerate(rows):
        yield (
            f'<text x="12" y="{LINE * index + 22}" font-size="13" xml:space="preserve"'
            f' font-family="var(--st-code-font, monospace)" style="fill:{colour}">'
            f"{html.escape(text)}</text>"
        )
