"""Step on four ways to time a product: cold, without waiting, with waiting, with a benchmark."""

from playground.lessons.timing import bars
from playground.lessons.timing.measuring import HEAD, Measuring, factor, format_seconds, ratio_id
from playground.steps import Answer, Labels, Picture, Run, Words, number

NOTICEABLE = 2.0  # a ratio of times from which on they count as different
RANGES = ("too_short", "about_equal", "too_long")
CLOCKS = ("first", "naive", "waited", "compared")


class Clocks(Measuring):
    """Time one matrix product in four ways."""

    rows: int = number(64, 1024, default=1024)

    def code(self, w: Words) -> str:
        return f"""from torch.utils.benchmark import Timer

{HEAD}{w.folded}
X = torch.rand({w.rows}, {w.rows}, device=device)
start = time.perf_counter()
X @ X
first = time.perf_counter() - start
naive = take_time(lambda: X @ X, waits=False, repeats=5){w.asked}
waited = take_time(lambda: X @ X, repeats=5)
timer = Timer("X @ X", globals={{"X": X}})
compared = timer.timeit(5).median
print(first, naive, waited, compared)
"""

    def answer(self, run: Run) -> Answer:
        readings = {name: float(run[name]) for name in CLOCKS}
        return self.measured(readings, run["device"])

    def measured(self, readings: dict[str, float], device: str) -> Answer:
        """Compare given readings, in seconds by the name of the clock."""
        ratio = readings["naive"] / readings["waited"]
        prediction = ratio_id(ratio, 1 / NOTICEABLE, NOTICEABLE, ids=RANGES)
        is_cpu = device == "cpu"
        explanations = {
            "too_short": "disturbed" if is_cpu else "only-launched",
            "about_equal": "cpu-waits" if is_cpu else "gpu-kept-up",
            "too_long": "disturbed",
        }
        return Answer(
            prediction=prediction,
            explanation=explanations[prediction],
            placeholders={
                "device": device,
                "ratio": factor(ratio),
                **{name: format_seconds(seconds) for name, seconds in readings.items()},
            },
            data=(tuple(readings.items()), not is_cpu),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        readings, is_gpu = answer.data
        return bars.draw(
            [
                bars.Bar(labels[name], seconds, format_seconds(seconds), is_gpu)
                for name, seconds in readings
            ]
        )
