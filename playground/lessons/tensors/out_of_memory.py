"""Step on running out of memory: tensors that are still reachable fill the device."""

import html
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from playground.machines.machine import device_names
from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
    number,
)
from playground.units import GIBIBYTE, format_bytes

LEFT, WIDTH, TOP, BAR = 4, 432, 26, 40


class Afterwards(StrEnum):
    """The use of each tensor in the loop; the value is the code that the program shows."""

    KEEP = "held.append(x)"
    OVERWRITE = "print(i)"
    DELETE = "del x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Contents of the memory of one GPU, in bytes; the parts of the bar from left to right.

    Attributes:
        kept_bytes: Reserved by PyTorch, and free for its next tensors.
        other_bytes: CUDA itself and other programs.
        refused_bytes: Size of the allocation that failed.
    """

    tensors: tuple[int, ...] = ()
    kept_bytes: int = 0
    other_bytes: int = 0
    refused_bytes: int = 0
    total_bytes: int

    @property
    def free_bytes(self) -> int:
        return self.total_bytes - sum(self.tensors) - self.kept_bytes - self.other_bytes


class OutOfMemory(Step):
    """Allocate tensors of one size until all are there, or PyTorch raises an error.

    The tensors stay unwritten, so a simulated GPU's memory uses only addresses of the host.
    """

    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: Device = "cuda:0"
    piece_gib: float = number(0.25, 12.0, default=3.0)
    pieces: int = number(1, 24, default=3)
    afterwards: Afterwards = Afterwards.KEEP
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        afterwards = Afterwards.DELETE if self.is_fixed else w.afterwards
        return f"""
            import torch

            held = []
            n = int({w.piece_gib} * 2**30)  # GiB to bytes
            for i in range({w.pieces}):
                x = torch.empty(n, dtype=torch.uint8, device={w.device}){w.asked}
                {afterwards}
        """

    def answer(self, run: Run) -> Answer:
        """Read the memory of the device after the loop, even if the loop raised an error."""
        fitted = self.pieces if run.outcome.ok else int(run.get("i") or 0)
        memory = self.memory(run)
        explanation = self.explanation(run, fitted)
        run.names.clear()  # the fix needs the room
        is_full = explanation in ("no-room", "no-room-for-two")
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=explanation,
            facts={
                "fitted": fitted,
                "held_size": format_bytes(sum(memory.tensors)) if memory else None,
                "free_size": format_bytes(memory.free_bytes) if memory else None,
                "total_size": format_bytes(memory.total_bytes) if memory else None,
            },
            placeholders={
                "piece_size": format_bytes(int(self.piece_gib * GIBIBYTE)),
                "pieces": self.pieces,
                "device": self.device,
            },
            fix=self.tried_fix() if is_full else None,
            data=memory,
        )

    def memory(self, run: Run) -> Memory | None:
        """Read the memory of the GPU; None for the CPU, or a device that does not exist."""
        cuda = run["torch"].cuda
        is_there = self.device in device_names(cuda.device_count())
        if self.device == "cpu" or not is_there:
            return None
        free_bytes, total_bytes = cuda.mem_get_info(self.device)
        reserved_bytes = cuda.memory_reserved(self.device)
        alive = {id(each): each.nbytes for each in run.get("held") or []}
        if "x" in run.names:
            alive[id(run["x"])] = run["x"].nbytes
        is_refused = run.outcome.error_type == "OutOfMemoryError"
        return Memory(
            tensors=tuple(alive.values()),
            kept_bytes=max(0, reserved_bytes - sum(alive.values())),
            other_bytes=max(0, total_bytes - free_bytes - reserved_bytes),
            refused_bytes=int(self.piece_gib * GIBIBYTE) if is_refused else 0,
            total_bytes=total_bytes,
        )

    def explanation(self, run: Run, fitted: int) -> str:
        if self.device == "cpu" or "DefaultCPUAllocator" in run.outcome.message:
            return "host"
        if run.outcome.ok:
            afterwards = Afterwards.DELETE if self.is_fixed else self.afterwards
            return {
                Afterwards.KEEP: "room-for-all",
                Afterwards.OVERWRITE: "two-at-a-time",
                Afterwards.DELETE: "one-at-a-time",
            }[afterwards]
        if run.outcome.error_type != "OutOfMemoryError":
            return "no-such-device"
        if fitted == 0:
            return "too-large"
        return "no-room" if self.afterwards is Afterwards.KEEP else "no-room-for-two"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            if self.device == "cpu" or not self.machine.is_simulated:
                return None
            total_bytes = int(self.machine.memory_gib * GIBIBYTE)
            return draw(Memory(total_bytes=total_bytes), self.device, labels)
        return draw(answer.data, self.device, labels) if answer.data else None


def draw(memory: Memory, device: str, labels: Labels) -> Picture:
    """Draw the parts of the bar to one scale, and a legend with their sizes."""
    fill, _, text = device_map.colours(device)
    taken = memory.total_bytes - memory.free_bytes
    scale = WIDTH / max(memory.total_bytes, taken + memory.refused_bytes)
    kinds = {
        "tensors": (sum(memory.tensors), fill),
        "kept": (memory.kept_bytes, f"color-mix(in srgb,{fill} 40%,transparent)"),
        "other_programs": (memory.other_bytes, "var(--tp-muted)"),
        "free": (memory.free_bytes, "var(--tp-paper)"),
        "refused": (memory.refused_bytes, "var(--tp-trouble)"),
    }
    parts = [
        f'<text x="{LEFT}" y="18" font-size="13" font-weight="650" style="fill:{text}">'
        f"{device}: {format_bytes(memory.total_bytes)}</text>",
        _bar("total", 0, memory.total_bytes * scale, f"fill:none;stroke:{fill}"),
    ]
    pieces = [("tensor", size, fill) for size in memory.tensors]
    pieces += [(name, *kinds[name]) for name in ("kept", "other_programs")]
    begin = 0.0
    for index, (name, size, colour) in enumerate(pieces):
        if size:
            style = f"fill:{colour};stroke:var(--tp-paper)"
            parts.append(_bar(f"{name}-{index}", begin, size * scale, style))
        begin += size * scale
    if memory.refused_bytes:
        style = "fill:color-mix(in srgb,var(--tp-trouble) 18%,transparent);stroke:var(--tp-trouble)"
        width = memory.refused_bytes * scale
        parts.append(_bar("refused", begin, width, style, dash=' stroke-dasharray="5 4"'))
    shown = [(name, *kinds[name]) for name in kinds if kinds[name][0] or name == "free"]
    for index, (name, size, colour) in enumerate(shown):
        y = TOP + BAR + 16 + 24 * index
        parts.append(
            f'<g data-id="legend-{name}"><rect x="{LEFT}" y="{y}" width="16" height="16" rx="3"'
            f' style="fill:{colour};stroke:var(--tp-muted)"/><text x="{LEFT + 26}" y="{y + 13}"'
            f' font-size="13" style="fill:var(--tp-ink)">{html.escape(labels[name])}:'
            f" {format_bytes(size)}</text></g>"
        )
    height = TOP + BAR + 20 + 24 * len(shown)
    svg = f'<svg viewBox="0 0 440 {height}">{"".join(parts)}</svg>'
    described = "; ".join(f"{labels[name]}: {format_bytes(size)}" for name, size, _ in shown)
    return Picture(svg, {"total": format_bytes(memory.total_bytes), "parts": described})


def _bar(name: str, begin: float, width: float, style: str, dash: str = "") -> str:
    return (
        f'<rect data-id="bar-{name}" x="{LEFT + begin:g}" y="{TOP}" width="{width:g}"'
        f' height="{BAR}" rx="4" style="{style}" stroke-width="1.8"{dash}/>'
    )


def gpu_is_nearly_full(step: OutOfMemory, answer: Answer) -> bool:
    """Return whether all tensors are kept, and fill at least nine tenths of a GPU."""
    memory: Memory | None = answer.data
    is_kept = step.afterwards is Afterwards.KEEP and not step.is_fixed
    if memory is None or not answer.outcome.ok or not is_kept:
        return False
    return sum(memory.tensors) >= 0.9 * memory.total_bytes


def more_than_the_gpu_has(step: OutOfMemory, answer: Answer) -> bool:
    """Return whether every allocation succeeded, although their sum exceeds the GPU's memory."""
    memory: Memory | None = answer.data
    if memory is None or not answer.outcome.ok:
        return False
    return step.pieces * step.piece_gib * GIBIBYTE > memory.total_bytes
