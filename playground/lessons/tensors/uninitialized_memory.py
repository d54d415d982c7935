"""Step on ``torch.empty``: a new tensor shows the previous contents of its memory."""

from enum import StrEnum
from itertools import groupby
from typing import Any, ClassVar

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
    number,
)
from playground.units import grouped

NEARLY_ALL = 0.99
CELLS = 32  # rows and columns of the picture
SIZE = 256


class Kind(StrEnum):
    """The content of an element."""

    SEVEN = "7"
    ZERO = "0"
    OTHER = "?"


class UninitializedMemory(Step):
    """Free memory full of sevens, allocate the same amount, and read its contents."""

    deterministic: ClassVar[bool] = False  # the contents of memory depend on all that ran before

    machine: Machine = Machine()
    device: Device = "cpu"
    elements: int = number(1024, 1048576, default=65536)
    times: int = number(1, 9, default=5)

    def code(self, w: Words) -> str:
        return f"""
            import torch

            n, device = {w.elements}, {w.device}
            for _ in range({w.times}):
                old = torch.full((n,), 7.0, device=device)
                del old
            y = torch.empty(n, device=device)
            print((y == 7).sum(), (y == 0).sum()){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        y = run.get("y")
        if y is None:
            return Answer(prediction=run.outcome.error_type, explanation="no-such-device")
        sevens, zeros = int((y == 7).sum()), int((y == 0).sum())
        if sevens >= NEARLY_ALL * self.elements:
            prediction = "sevens"
        else:
            prediction = "zeros" if zeros >= NEARLY_ALL * self.elements else "mixture"
        return Answer(
            prediction=prediction,
            explanation="empty-writes-nothing",
            facts={
                "sevens": grouped(sevens),
                "zeros": grouped(zeros),
                "others": grouped(self.elements - sevens - zeros),
            },
            placeholders={"elements": grouped(self.elements)},
            data=sampled(y),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or answer.data is None:
            return None
        return draw(answer.data, device_map.colours(self.device)[0], labels)


def sampled(y: Any) -> str:
    """Describe elements at equal distances, one character each."""
    step = len(y) // CELLS**2
    values = y[:: max(1, step)][: CELLS**2].tolist()
    return "".join(
        Kind.SEVEN if value == 7 else Kind.ZERO if value == 0 else Kind.OTHER for value in values
    )


def draw(sample: str, fill: str, labels: Labels) -> Picture:
    """Draw the cells row by row, neighbours of one kind as one rectangle, and a legend."""
    side = SIZE / CELLS
    colours = {
        Kind.SEVEN: fill,
        Kind.ZERO: "var(--tp-paper)",
        Kind.OTHER: "var(--tp-muted)",
    }
    parts = []
    for row in range(CELLS):
        column = 0
        for kind, cells in groupby(sample[row * CELLS : (row + 1) * CELLS]):
            count = len(list(cells))
            parts.append(
                f'<rect x="{column * side:g}" y="{row * side:g}" width="{count * side:g}"'
                f' height="{side:g}" style="fill:{colours[Kind(kind)]}"/>'
            )
            column += count
    parts.append(
        f'<rect width="{SIZE}" height="{SIZE}" fill="none" style="stroke:var(--tp-line)"/>'
    )
    legend = ((Kind.SEVEN, "7"), (Kind.ZERO, "0"), (Kind.OTHER, labels["others"]))
    for index, (kind, text) in enumerate(legend):
        y = 20 + 30 * index
        parts.append(
            f'<rect x="{SIZE + 16}" y="{y}" width="16" height="16"'
            f' style="fill:{colours[kind]};stroke:var(--tp-muted)"/><text x="{SIZE + 40}"'
            f' y="{y + 13}" font-size="14" style="fill:var(--tp-ink)">{text}</text>'
        )
    svg = f'<svg viewBox="-2 -2 360 {SIZE + 4}">{"".join(parts)}</svg>'
    return Picture(svg, {"cells": len(sample)})
