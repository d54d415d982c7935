"""Step "formats": file size and reading time of the same weights in two formats."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from playground.compute.streaming import ignore_progress
from playground.lessons.save_and_load import drawing
from playground.steps import Answer, Files, Labels, Picture, Step, Words, number, run_program
from playground.units import format_bytes, short

TORCH, SAFETENSORS = FILES = ("weights.pt", "weights.safetensors")
REPEATS, MIN_REPEATS = 9, 3
TOTAL_SECONDS = 6.0
NOTICEABLE = 1.25  # a ratio of times from which on they count as different


class Measured(NamedTuple):
    """Data of the picture: the measurements of one file."""

    file: str
    file_bytes: int
    saving_ms: float
    loading_ms: float


class Formats(Step):
    """Write the same tensors with ``torch.save`` and with ``safetensors``, and read them back.

    ``experiment`` is overridden: it runs the program several times and takes medians.
    """

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True
    uses_hardware: ClassVar[bool] = False

    tensors: int = number(1, 300, default=60)
    numbers: int = number(1, 20_000, default=20_000)

    def code(self, w: Words) -> str:
        return f"""
            import time
            import torch
            from safetensors.torch import load_file, save_file
            {w.folded}
            names = [f"layer{{i}}.weight" for i in range({w.tensors})]
            state = {{name: torch.randn({w.numbers}) for name in names}}
            for file, save, load in [("{TORCH}", torch.save, torch.load),
                                     ("{SAFETENSORS}", save_file, load_file)]:
                start = time.perf_counter()
                save(state, file)
                saved = time.perf_counter()
                for tensor in load(file).values():
                    tensor.sum()  # read every number: a mapped file is not read yet
                read = time.perf_counter()
                print(file, saved - start, read - saved){w.asked}
        """

    def files(self) -> Files:
        return Files(downloads=FILES)

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program once to warm up, then several times."""
        del report_progress
        printed: list[str] = []
        with self.running():
            run = run_program(self.program())
            latest = time.perf_counter() + TOTAL_SECONDS
            while run.outcome.ok and len(printed) < REPEATS:
                if len(printed) >= MIN_REPEATS and time.perf_counter() > latest:
                    break
                run = run_program(self.program())
                printed.append(run.printed)
            sizes = [Path(name).stat().st_size for name in FILES if Path(name).exists()]
        if not run.outcome.ok:
            answer = Answer(prediction=run.outcome.error_type, explanation="both-alike")
            return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)
        return replace(self.measured(printed, sizes), lines=run.lines, outcome=run.outcome)

    def measured(self, printed: Sequence[str], sizes: Sequence[int]) -> Answer:
        """Return the medians of the printed times.

        Args:
            printed: The output of each run: a line for each file with its name and two times in
                seconds.
            sizes: Bytes of both files.
        """
        runs = [[line.split() for line in text.splitlines()] for text in printed]
        found = []
        for index, file in enumerate(FILES):
            saving, loading = (
                statistics.median(float(lines[index][column]) for lines in runs)
                for column in (1, 2)
            )
            found.append(Measured(file, sizes[index], saving * 1e3, loading * 1e3))
        torch, safetensors = found
        number_bytes = 4 * self.tensors * self.numbers
        return Answer(
            prediction=faster(torch.loading_ms, safetensors.loading_ms),
            explanation=self.explanation(faster(torch.loading_ms, safetensors.loading_ms)),
            placeholders={
                "number_bytes": format_bytes(number_bytes),
                "tensors": self.tensors,
                "repeats": len(printed),
                "torch_frame": format_bytes(torch.file_bytes - number_bytes),
                "safetensors_frame": format_bytes(safetensors.file_bytes - number_bytes),
                "torch_loading": f"{short(torch.loading_ms)} ms",
                "safetensors_loading": f"{short(safetensors.loading_ms)} ms",
            },
            data=tuple(found),
        )

    def explanation(self, prediction: str) -> str:
        ways = {"safetensors": "header-and-numbers", "torch": "torch-was-faster"}
        return ways.get(prediction, "both-alike")

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        return draw(answer.data, labels) if answer and answer.data else None


def faster(torch_ms: float, safetensors_ms: float) -> str:
    """Return which of the two was read faster, if either.

    >>> faster(3.0, 1.0), faster(1.0, 1.1), faster(1.0, 2.0)
    ('safetensors', 'about_equal', 'torch')
    """
    if torch_ms > NOTICEABLE * safetensors_ms:
        return "safetensors"
    return "torch" if safetensors_ms > NOTICEABLE * torch_ms else "about_equal"


def draw(found: Sequence[Measured], labels: Labels) -> Picture:
    """Draw each pair of bars to its own scale."""
    parts, y = [], 0
    for name in ("file_bytes", "saving_ms", "loading_ms"):
        amounts = [getattr(each, name) for each in found]
        parts.append(drawing.text(0, y + 14, labels[name], ink=drawing.MUTED))
        for each, amount in zip(found, amounts, strict=True):
            colour = drawing.ACCENT if each.file == SAFETENSORS else drawing.MUTED
            shown = format_bytes(amount) if name == "file_bytes" else f"{short(amount)} ms"
            width = max(drawing.WIDTH * amount / max(amounts), 2.0)
            parts += [
                drawing.text(0, y + 34, each.file, is_code=True, size=12),
                drawing.text(drawing.WIDTH, y + 34, shown, anchor="end"),
                drawing.box(0, y + 40, width, 12, colour=colour, tint=40, name=name + each.file),
            ]
            y += 40
        y += 28
    values = {each.file.partition(".")[2]: format_bytes(each.file_bytes) for each in found}
    return drawing.picture(y, *parts, **values)


def is_mostly_frame(step: Formats, answer: Answer) -> bool:
    """Check that the archive is more than twice as large as the other file."""
    del step
    torch, safetensors = answer.data
    return bool(torch.file_bytes > 2 * safetensors.file_bytes)
