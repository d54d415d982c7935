"""Step on copies of growing size: bytes per second within the host, or to the GPU."""

from playground.lessons.timing import bars
from playground.lessons.timing.measuring import HEAD, Measuring, format_seconds
from playground.steps import Answer, Labels, Picture, Run, Words, number
from playground.units import MEBIBYTE, format_bytes


class Bandwidth(Measuring):
    """Copy four amounts of bytes, each into memory that is already allocated."""

    mebibytes: int = number(1, 32, default=16)

    def device_bytes(self) -> int:
        """Return the bytes of the largest copy and the one before it."""
        return 2 * self.mebibytes * MEBIBYTE

    def code(self, w: Words) -> str:
        return f"""{HEAD}{w.folded}
seconds = {{}}
for size in [2**10, 2**14, 2**18, {w.mebibytes} * 2**20]:
    source = torch.ones(size, dtype=torch.uint8)
    if device != "cpu":
        source = source.pin_memory()
    target = torch.zeros(size, dtype=torch.uint8, device=device)
    seconds[size] = take_time(lambda: target.copy_(source))
    print(size, size / seconds[size] / 1e9, "GB/s"){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        return self.measured(run["seconds"], run["device"])

    def measured(self, seconds: dict[int, float], device: str) -> Answer:
        """Compare given times, in seconds by number of bytes."""
        rates = {size: size / each / 1e9 for size, each in seconds.items()}
        smallest, *_, largest = rates
        best = max(rates, key=lambda size: rates[size])
        prediction = {smallest: "smallest", largest: "largest"}.get(best, "in_between")
        on_cpu = "within-the-caches" if prediction == "in_between" else "memory-only"
        return Answer(
            prediction=prediction,
            explanation=on_cpu if device == "cpu" else "over-the-bus",
            placeholders={
                "device": device,
                "smallest": format_bytes(smallest),
                "largest": format_bytes(largest),
                "best": format_bytes(best),
                "smallest_time": format_seconds(seconds[smallest]),
                "smallest_rate": f"{rates[smallest]:.3g}",
                "largest_rate": f"{rates[largest]:.3g}",
                "best_rate": f"{rates[best]:.3g}",
            },
            data=tuple(
                bars.Bar(format_bytes(size), rate, f"{rate:.3g} GB/s", device != "cpu")
                for size, rate in rates.items()
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return bars.draw(answer.data) if answer else None
