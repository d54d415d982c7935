"""Step on measured copies to a real GPU: from pageable memory, from pinned memory, non-blocking."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.steps import Answer, Machine, Step, Words, number, run_program
from playground.units import GIBIBYTE, MEBIBYTE, format_bytes

REPEATS = 9
COPIES = ("x.to(…)", "p.to(…)", "p.to(…, non_blocking=True)")
COLUMNS = ("call", "returned_ms", "done_ms", "gib_per_second")


class Transfer(Step):
    """Time three copies; a simulated GPU has no time to measure.

    The experiment runs the program several times and takes medians, so it is not a plain run.
    """

    deterministic: ClassVar[bool] = False
    measures: ClassVar[bool] = True

    machine: Machine = Machine()
    mebibytes: int = number(1, 64, default=16)

    def device_bytes(self) -> int:
        """Return the bytes of two copies: the existing one, and the next one."""
        return 2 * self.mebibytes * MEBIBYTE

    def code(self, w: Words) -> str:
        return f"""
            import time
            import torch
            {w.folded}
            x = torch.ones({w.mebibytes} * 2**20, dtype=torch.uint8)
            p = x.pin_memory()
            for source, flag in [(x, False), (p, False), (p, True)]:
                y = source.to("cuda:0")  # warm-up
                torch.cuda.synchronize()
                start = time.perf_counter()
                y = source.to("cuda:0", non_blocking=flag)
                returned = time.perf_counter() - start
                torch.cuda.synchronize()
                print(returned, time.perf_counter() - start)
        """

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program several times on a real GPU, or report that there is none."""
        del report_progress
        if self.machine.is_simulated or not has_gpu():
            return Answer(prediction="", explanation="no-real-gpu")
        printed = []
        for _ in range(REPEATS):
            run = run_program(self.program())
            if not run.outcome.ok:
                return Answer(prediction="", explanation="no-real-gpu", outcome=run.outcome)
            printed.append(run.printed)
        return self.measured(printed)

    def measured(self, printed: Sequence[str]) -> Answer:
        """Compute the medians of the printed times.

        Args:
            printed: For each run three lines of two times in seconds.
        """
        runs = [[line.split() for line in text.splitlines()] for text in printed]
        size_bytes = self.mebibytes * MEBIBYTE
        rows = []
        for index, call in enumerate(COPIES):
            returned, done = (
                statistics.median(float(lines[index][column]) for lines in runs)
                for column in (0, 1)
            )
            speed = round(size_bytes / GIBIBYTE / done, 2)
            rows.append((call, round(returned * 1e3, 3), round(done * 1e3, 3), speed))
        return Answer(
            prediction="",
            explanation="transfer-measured",
            placeholders={"size": format_bytes(size_bytes), "repeats": len(printed)},
            table=(COLUMNS, *rows),
        )


def has_gpu() -> bool:
    """Return whether torch finds a CUDA GPU; called in the worker."""
    return bool(run_program("import torch")["torch"].cuda.is_available())
