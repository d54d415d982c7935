"""Step on the size of a tensor: elements times bytes, and the memory reserved on a GPU."""

import html
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

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
    literal,
    number,
)
from playground.units import GIBIBYTE, KIBIBYTE, MEBIBYTE, format_bytes, grouped

SEVEN_BILLION = 7_000_000_000
ROW, LEFT, RIGHT = 34, 100, 290
LARGEST = 2**38  # the end of the axis
TICKS = ((1, "1 B"), (KIBIBYTE, "1 KiB"), (MEBIBYTE, "1 MiB"), (GIBIBYTE, "1 GiB"))


class DataType(StrEnum):
    """The value is the code that the program shows."""

    FLOAT32 = "torch.float32"
    FLOAT64 = "torch.float64"
    FLOAT16 = "torch.float16"
    INT64 = "torch.int64"
    INT8 = "torch.int8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Sizes in bytes for the picture; those of the GPU are None for a tensor on the CPU."""

    size_bytes: int
    allocated_bytes: int | None = None
    reserved_bytes: int | None = None
    total_bytes: int | None = None


class TensorBytes(Step):
    """Create a tensor, and read the memory of its device."""

    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    device: Device = "cuda:0"
    rows: int = number(1, 8192, default=1024)
    columns: int = number(1, 4096, default=1024)
    dtype: DataType = DataType.FLOAT32

    def device_bytes(self) -> int:
        """Return the size of the tensor at 8 bytes per element, the largest dtype of this step."""
        return self.rows * self.columns * 8

    def code(self, w: Words) -> str:
        x = f"torch.empty({w.rows}, {w.columns}, dtype={w.dtype}, device={w.device})"
        device = literal(self.device)
        lines = [
            "import torch",
            "",
            f"x = {x}",
            f"print(x.nbytes){w.asked}",
            "print(x.numel(), x.element_size())",
        ]
        if self.device != "cpu":
            lines += [
                f"print(torch.cuda.memory_allocated({device}))",
                f"print(torch.cuda.memory_reserved({device}))",
            ]
        return "\n".join(lines)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sizes at 1, 2, 4 and 8 bytes per element."""
        del devices
        return tuple(f"{grouped(self.rows * self.columns * size)} B" for size in (1, 2, 4, 8))

    def answer(self, run: Run) -> Answer:
        x = run.get("x")
        if x is None:
            return Answer(prediction=run.outcome.error_type, explanation="no-such-device")
        memory, free_bytes = Memory(size_bytes=x.nbytes), None
        if self.device != "cpu":
            cuda = run["torch"].cuda
            free_bytes, total_bytes = cuda.mem_get_info(self.device)
            memory = Memory(
                size_bytes=x.nbytes,
                allocated_bytes=cuda.memory_allocated(self.device),
                reserved_bytes=cuda.memory_reserved(self.device),
                total_bytes=total_bytes,
            )
        element_bytes = x.element_size()
        return Answer(
            prediction=f"{grouped(x.nbytes)} B",
            explanation=explanation(memory),
            facts={
                "size": format_bytes(x.nbytes),
                "allocated": formatted(memory.allocated_bytes),
                "reserved": formatted(memory.reserved_bytes),
                "free": mebibytes(free_bytes),
                "seven_billion": format_bytes(SEVEN_BILLION * element_bytes),
            },
            placeholders={
                "elements": grouped(x.numel()),
                "element_bytes": element_bytes,
                "total": mebibytes(memory.total_bytes),
                "device": self.device,
            },
            data=memory,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or answer.data is None:
            return None
        return draw(answer.data, device_map.colours(self.device)[0], labels)


def explanation(memory: Memory) -> str:
    """Choose the explanation that fits this case."""
    if memory.allocated_bytes is None:
        return "on-host"
    if memory.allocated_bytes != memory.size_bytes:
        return "rounded-up"
    return "to-measure" if memory.reserved_bytes == memory.size_bytes else "larger-piece"


def formatted(size_bytes: int | None) -> str | None:
    """Format a size; None if it is absent."""
    return None if size_bytes is None else format_bytes(size_bytes)


def mebibytes(size_bytes: int | None) -> str | None:
    """Format a size in MiB, so that a difference of 2 MiB shows; None if it is absent.

    >>> mebibytes(8 * GIBIBYTE - 2 * MEBIBYTE).replace("\u202f", " ")
    '8 190 MiB'
    """
    return None if size_bytes is None else f"{grouped(round(size_bytes / MEBIBYTE))} MiB"


def draw(memory: Memory, fill: str, labels: Labels) -> Picture:
    """Draw one bar for each size; each tick is 1024 times the one before."""
    sizes = {
        "size": memory.size_bytes,
        "allocated": memory.allocated_bytes,
        "reserved": memory.reserved_bytes,
        "total": memory.total_bytes,
    }
    rows = [(name, size) for name, size in sizes.items() if size is not None]
    bottom = ROW * len(rows) + 6
    parts = [
        f'<line x1="{across(size):g}" x2="{across(size):g}" y1="0" y2="{bottom}"'
        f' style="stroke:var(--tp-line)"/><text x="{across(size):g}" y="{bottom + 16}"'
        f' text-anchor="middle" font-size="13" style="fill:var(--tp-muted)">{text}</text>'
        for size, text in TICKS
    ]
    for index, (name, size) in enumerate(rows):
        y = 6 + ROW * index
        parts.append(
            f'<g data-id="bar-{name}"><text x="{LEFT - 10}" y="{y + 16}" text-anchor="end"'
            f' font-size="13" style="fill:var(--tp-ink)">{html.escape(labels[name])}</text>'
            f'<rect x="{LEFT}" y="{y}" width="{across(size) - LEFT:g}" height="22" rx="4"'
            f' style="fill:{fill}" opacity="{1 - 0.22 * index:g}"/>'
            f'<text x="{across(size) + 6:g}" y="{y + 16}" font-size="13" paint-order="stroke"'
            f' stroke-width="4" style="fill:var(--tp-ink);stroke:var(--tp-paper)">'
            f"{format_bytes(size)}</text></g>"
        )
    svg = f'<svg viewBox="0 0 360 {bottom + 22}">{"".join(parts)}</svg>'
    described = "; ".join(f"{labels[name]}: {format_bytes(size)}" for name, size in rows)
    return Picture(svg, {"bars": described})


def across(size_bytes: int) -> float:
    """Return the x coordinate of a size on the axis."""
    return LEFT + (RIGHT - LEFT) * math.log2(max(1, size_bytes)) / math.log2(LARGEST)


def takes_one_mebibyte(step: TensorBytes, answer: Answer) -> bool:
    """Return whether the tensor takes exactly 1 MiB."""
    del step
    return answer.data is not None and answer.data.size_bytes == MEBIBYTE


def seven_billion_fit(step: TensorBytes, answer: Answer) -> bool:
    """Return whether seven billion elements of this dtype fit into 24 GiB."""
    del step
    bytes_each = answer.placeholders.get("element_bytes")
    return isinstance(bytes_each, int) and SEVEN_BILLION * bytes_each <= 24 * GIBIBYTE
