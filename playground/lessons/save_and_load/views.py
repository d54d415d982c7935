"""Step "views": a slice of a large tensor, saved with its whole storage or as a copy."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from playground.lessons.save_and_load import drawing
from playground.steps import Answer, Files, Labels, Picture, Run, Step, Words, fix_field, number
from playground.units import format_bytes

FILE = "part.pt"


class Part(StrEnum):
    """The part of the vector; the value is the code that the program shows."""

    FIRST_TWO = "big[:2]"
    EVERY_THOUSANDTH = "big[::1000]"
    COMPUTED = "big[:2] * 1"
    EXPANDED = "torch.zeros(1).expand(5000)"


class Copying(StrEnum):
    """The call on the part before it is saved; the value is code."""

    NOTHING = "part"
    CLONE = "part.clone()"
    CONTIGUOUS = "part.contiguous()"
    DETACH = "part.detach()"


class Sizes(NamedTuple):
    """Data of the picture, in bytes."""

    big: int
    part: int
    file: int


class Views(Step):
    """Save a part of a large vector, and look at the size of the file."""

    part: Part = Part.FIRST_TWO
    copying: Copying = Copying.NOTHING
    length: int = number(10_000, 500_000, default=250_000)
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        copying = Copying.CLONE.value if self.is_fixed else w.copying
        return f"""
            import os
            import torch

            big = torch.arange({w.length}, dtype=torch.float32)
            part = {w.part}
            print(part.numel() * part.element_size())
            torch.save({copying}, "{FILE}")
            print(os.path.getsize("{FILE}")){w.asked}
        """

    def files(self) -> Files:
        return Files(downloads=(FILE,))

    def answer(self, run: Run) -> Answer:
        """Compare the size of the file with that of the part and that of the whole."""
        big, part, torch = run["big"], run["part"], run["torch"]
        loaded = torch.load(FILE)
        file_bytes, storage_bytes = Path(FILE).stat().st_size, loaded.untyped_storage().nbytes()
        part_bytes = part.numel() * part.element_size()
        big_bytes = big.untyped_storage().nbytes()
        is_whole = storage_bytes == big_bytes
        prediction = "whole" if is_whole else "less" if file_bytes < part_bytes else "part"
        return Answer(
            prediction=prediction,
            explanation=self.explanation(prediction),
            facts={
                "part_numbers": part.numel(),
                "part_bytes": format_bytes(part_bytes),
                "storage_bytes": format_bytes(storage_bytes),
                "file_bytes": format_bytes(file_bytes),
            },
            placeholders={"saved": self.copying.value.replace("part", self.part.value)},
            is_silent_failure=is_whole,
            fix=self.tried_fix() if is_whole else None,
            data=Sizes(big_bytes, part_bytes, file_bytes),
        )

    def explanation(self, prediction: str) -> str:
        if prediction == "whole":
            ways = {Copying.CONTIGUOUS: "contiguous-already", Copying.DETACH: "detach-is-a-view"}
            return ways.get(self.copying, "whole-storage")
        if self.part is Part.EXPANDED:
            return "one-number" if prediction == "less" else "written-out"
        return "storage-of-its-own" if self.part is Part.COMPUTED else "copied-first"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer else None


def draw(sizes: Sizes, labels: Labels) -> Picture:
    """Draw the storage of ``big``, the part and the file to one scale."""
    parts = []
    for index, (name, size) in enumerate(sizes._asdict().items()):
        y = 50 * index
        colour = drawing.MUTED if name != "file" else drawing.ACCENT
        width = max(drawing.WIDTH * size / max(sizes), 2.0)
        parts += [
            drawing.text(0, y + 16, labels[f"bar_{name}"]),
            drawing.text(drawing.WIDTH, y + 16, format_bytes(size), anchor="end"),
            drawing.box(0, y + 24, width, 14, colour=colour, tint=40, name=name),
        ]
    shown = {f"{name}_size": format_bytes(size) for name, size in sizes._asdict().items()}
    return drawing.picture(146, *parts, **shown)


def is_small_without_clone(step: Views, answer: Answer) -> bool:
    """Check that a slice of ``big`` is in a small file without a call of ``clone``."""
    is_slice = step.part in (Part.FIRST_TWO, Part.EVERY_THOUSANDTH)
    is_cloned = step.copying is Copying.CLONE or step.is_fixed
    return is_slice and not is_cloned and answer.prediction == "part"
