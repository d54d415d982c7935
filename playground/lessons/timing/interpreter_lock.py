"""Step on the global interpreter lock: how long a call stops a second thread."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from playground.compute.streaming import ignore_progress
from playground.lessons.timing import bars
from playground.lessons.timing.measuring import Measuring, format_seconds
from playground.steps import Answer, Labels, Picture, Words, run_program

KEPT = 0.5  # a longer part of the call without a step of the second thread: the lock was kept
PAUSE = 1e-4  # seconds; shorter ones are not noted
Pause = tuple[float, float]


class Call(StrEnum):
    """The value is the code that the program shows."""

    ITEM = "(X @ X).mean().item()"
    TOLIST = "X.tolist()"
    SUM = "sum(range(5_000_000))"


class InterpreterLock(Measuring):
    """Time one call, and check whether another thread of the process continues meanwhile.

    The experiment runs the program beside a second thread, which programs in the lab may not
    start, so it is not a plain run.
    """

    call: Call = Call.ITEM

    def code(self, w: Words) -> str:
        return f"""
            import time
            import torch

            device = "cuda:0" if torch.cuda.is_available() else "cpu"
            X = torch.rand(1500, 1500, device=device)
            start = time.perf_counter()
            value = {w.call}{w.asked}
            end = time.perf_counter()
            print(end - start)
        """

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program while a second thread records its pauses."""
        del report_progress
        pauses: list[Pause] = []
        has_begun, is_over = threading.Event(), threading.Event()
        watch = threading.Thread(target=note_pauses, args=(pauses, has_begun, is_over), daemon=True)
        watch.start()
        has_begun.wait()  # else it may wait for the lock until the call is over
        try:
            with self.running():
                run = run_program(self.program())
        finally:
            is_over.set()
            watch.join()
        if run.outcome.ok:
            answer = self.measured(pauses, run["start"], run["end"], run["device"])
        else:
            answer = Answer(prediction=run.outcome.error_type, explanation="lock-given-back")
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def measured(
        self, pauses: Sequence[Pause], start: float, end: float, device: str = "cpu"
    ) -> Answer:
        """Compare the longest pause of the second thread with the call.

        Args:
            pauses: Times during which the second thread was stopped.
            start: Start of the call.
            end: End of the call.
            device: Device that the program used.
        """
        covered = [min(to, end) - max(since, start) for since, to in pauses]
        longest = max([0.0, *covered])
        is_kept = longest > KEPT * (end - start)
        if self.call is Call.SUM:
            explanation = "python-keeps-lock" if is_kept else "took-turns"
        else:
            explanation = "lock-kept" if is_kept else "lock-given-back"
        return Answer(
            prediction="stands_still" if is_kept else "goes_on",
            explanation=explanation,
            placeholders={
                "device": device,
                "call_time": format_seconds(end - start),
                "pause": format_seconds(longest) if longest else "0 ms",
            },
            data=(("call_took", end - start), ("second_thread_paused", longest)),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or not answer.data:
            return None
        return bars.draw(
            [
                bars.Bar(labels[name], each, format_seconds(each) if each else "0")
                for name, each in answer.data
            ]
        )


def note_pauses(pauses: list[Pause], has_begun: threading.Event, is_over: threading.Event) -> None:
    """Read the clock as often as possible; record each pause between two readings."""
    last = time.perf_counter()
    has_begun.set()
    is_last = False
    while not is_last:
        is_last = is_over.is_set()  # the pause before it counts as well
        now = time.perf_counter()
        if now - last > PAUSE:
            pauses.append((last, now))
        last = now
