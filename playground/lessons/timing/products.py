"""Step on matrix products of growing size, on the CPU and on the GPU if there is one."""

from playground.lessons.timing import bars
from playground.lessons.timing.measuring import HEAD, Measuring, factor, format_seconds, ratio_id
from playground.steps import Answer, Labels, Picture, Run, Words, number

SMALL, LARGE, DISTURBED = 1.5, 5.0, 14.0  # ratios of times
RANGES = ("about_as_long", "in_between", "about_eight")


class Products(Measuring):
    """Multiply square matrices whose number of rows doubles three times."""

    rows: int = number(16, 1024, default=1024)

    def code(self, w: Words) -> str:
        return f"""{HEAD}{w.folded}
rows = {w.rows}
seconds = {{}}
for place in sorted({{"cpu", device}}):
    for n in [rows // 8, rows // 4, rows // 2, rows]:
        X = torch.rand(n, n, device=place)
        t = take_time(lambda: X @ X, repeats=5, device=place)
        seconds[place, n] = t
        print(place, n, t){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        return self.measured(run["seconds"])

    def measured(self, seconds: dict[tuple[str, int], float]) -> Answer:
        """Compare given times.

        Args:
            seconds: By device and number of rows.
        """
        before, last = seconds["cpu", self.rows // 2], seconds["cpu", self.rows]
        prediction = ratio_id(last / before, SMALL, LARGE, ids=RANGES)
        on_gpu = {n: t for (place, n), t in seconds.items() if place != "cpu"}
        faster = [n for n, t in on_gpu.items() if t < seconds["cpu", n]]
        if on_gpu:
            explanation = "gpu-is-faster" if self.rows in faster else "gpu-is-slower"
        elif last / before > DISTURBED:
            explanation = "disturbed"
        else:
            explanation = prediction.replace("_", "-")
        return Answer(
            prediction=prediction,
            explanation=explanation,
            placeholders={
                "half": self.rows // 2,
                "n": self.rows,
                "before": format_seconds(before),
                "last": format_seconds(last),
                "ratio": factor(last / before),
                "gpu_time": format_seconds(on_gpu[self.rows]) if on_gpu else None,
                "from_rows": min(faster, default=None),
                "gflops": f"{2 * self.rows**3 / last / 1e9:.3g}",
            },
            data=tuple(
                bars.Bar(f"{place}, n = {n}", t, format_seconds(t), place != "cpu")
                for (place, n), t in seconds.items()
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return bars.draw(answer.data) if answer else None


def is_mostly_overhead(step: Products, answer: Answer) -> bool:
    """Return whether the time hardly changed when the number of rows doubled."""
    del step
    return answer.prediction == "about_as_long"
