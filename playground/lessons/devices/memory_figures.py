"""Step "memory_figures": GPU memory in tensors, reserved by PyTorch, and used in total."""

import html
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from playground.steps import Answer, Labels, Machine, Picture, Run, Step, Words, device_map, number
from playground.units import MEBIBYTE, format_bytes

GPU = "cuda:0"
LEFT, RIGHT, ROW, TOP = 4.0, 180.0, 108, 26
SMALLEST, LARGEST = 2**19, 2**38  # the ends of the scale, so that every size keeps its length


class Action(StrEnum):
    """The event between the two readings; the value is the code that the program shows."""

    DELETE = "del X"
    EMPTY_CACHE = "torch.cuda.empty_cache()"
    BOTH = "del X; torch.cuda.empty_cache()"


class Figures(NamedTuple):
    """The memory figures of a GPU, in bytes; each contains the one before."""

    allocated: int
    reserved: int
    used: int


@dataclass(frozen=True, slots=True)
class Readings:
    """Data of the picture."""

    before: Figures
    after: Figures


class MemoryFigures(Step):
    """Read three figures while a tensor lives, and again afterwards."""

    deterministic: ClassVar[bool] = False  # a real GPU has other users

    machine: Machine = Machine()
    mebibytes: int = number(1, 128, default=8)
    action: Action = Action.DELETE

    def device_bytes(self) -> int:
        """Return the size of the block that PyTorch reserves for the tensor."""
        return max(20, self.mebibytes + 2) * MEBIBYTE

    def code(self, w: Words) -> str:
        return f"""
            import torch
            torch.cuda.empty_cache()
            {w.folded}
            def figures():
                free, total = torch.cuda.mem_get_info("cuda:0")
                return (torch.cuda.memory_allocated("cuda:0"),
                        torch.cuda.memory_reserved("cuda:0"), total - free)

            X = torch.ones({w.mebibytes} * 2**20, dtype=torch.uint8, device="cuda:0")
            before = figures()
            {w.action}
            after = figures(){w.asked}
            print(before, after)
        """

    def answer(self, run: Run) -> Answer:
        if not run.outcome.ok:
            return Answer(prediction=run.outcome.error_type, explanation="no-gpu")
        readings = Readings(Figures(*run["before"]), Figures(*run["after"]))
        before, after = readings.before, readings.after
        fell = [
            name
            for name in ("allocated", "reserved")
            if getattr(after, name) < getattr(before, name)
        ]
        return Answer(
            prediction={(): "none", ("allocated",): "allocated"}.get(tuple(fell), "all"),
            explanation=self.explanation(before),
            placeholders={
                f"{name}_{moment}": format_bytes(size)
                for moment, each in (("before", before), ("after", after))
                for name, size in each._asdict().items()
            },
            data=readings,
        )

    def explanation(self, before: Figures) -> str:
        if self.action is Action.EMPTY_CACHE:
            return "still-in-use"
        if self.action is Action.BOTH:
            return "given-back"
        return "kept-exact" if before.allocated == before.reserved else "kept-larger"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw both readings as nested boxes; no values are known before the answer."""
        if answer is None or answer.data is None:
            return None
        return draw(answer.data, labels)


def draw(readings: Readings, labels: Labels) -> Picture:
    """Draw used around reserved around allocated, once for each reading."""
    rows = {"before": readings.before, "after": readings.after}
    parts = []
    for index, (moment, figures) in enumerate(rows.items()):
        parts.append(
            f'<g transform="translate(0 {index * ROW})"><text x="{LEFT}" y="16" font-size="13"'
            f' font-family="var(--st-code-font, monospace)" style="fill:var(--tp-ink)">{moment}'
            f"</text>{_nested(moment, figures)}{_legend(figures, labels)}</g>"
        )
    svg = f'<svg viewBox="0 0 360 {2 * ROW}">{"".join(parts)}</svg>'
    described = "; ".join(
        f"{moment}: "
        + ", ".join(f"{labels[n]} {format_bytes(s)}" for n, s in each._asdict().items())
        for moment, each in rows.items()
    )
    return Picture(svg, {"described": described})


def _nested(moment: str, figures: Figures) -> str:
    boxes = ""
    for inset, (name, size) in enumerate(reversed(figures._asdict().items())):
        if size:
            width = across(size) - LEFT - 12 * inset
            boxes += (
                f'<rect data-id="{moment}-{name}" x="{LEFT + 6 * inset:g}"'
                f' y="{TOP + 9 * inset}" width="{width:g}" height="{68 - 18 * inset}" rx="6"'
                f' style="fill:{_fill(name)};stroke:{device_map.colours(GPU)[0]}"'
                f' stroke-width="1.5"/>'
            )
    return boxes


def _legend(figures: Figures, labels: Labels) -> str:
    lines = ""
    for index, (name, size) in enumerate(reversed(figures._asdict().items())):
        y = TOP + 10 + 24 * index
        lines += (
            f'<rect x="196" y="{y}" width="14" height="14" rx="3"'
            f' style="fill:{_fill(name)};stroke:{device_map.colours(GPU)[0]}"/>'
            f'<text x="216" y="{y + 12}" font-size="13" style="fill:var(--tp-ink)">'
            f"{html.escape(labels[name])} {format_bytes(size)}</text>"
        )
    return lines


def _fill(name: str) -> str:
    share = {"used": 15, "reserved": 45, "allocated": 100}[name]
    return f"color-mix(in srgb,{device_map.colours(GPU)[0]} {share}%,var(--tp-paper))"


def across(size_bytes: int) -> float:
    """Return the right end of a size on an axis where each doubling adds the same length."""
    share = math.log2(max(SMALLEST, size_bytes) / SMALLEST) / math.log2(LARGEST / SMALLEST)
    return LEFT + 40 + (RIGHT - LEFT - 40) * share


def reserved_to_measure(step: MemoryFigures, answer: Answer) -> bool:
    """Check that PyTorch reserved exactly the size of the tensor."""
    del step
    before = answer.data.before if answer.data else None
    return before is not None and before.allocated == before.reserved
