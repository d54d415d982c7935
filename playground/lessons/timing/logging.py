"""Step on logging a number of each iteration: read back at once, or kept on the device."""

from playground.lessons.timing import bars
from playground.lessons.timing.measuring import HEAD, Measuring, format_seconds, ratio_id
from playground.steps import Answer, Labels, Picture, Run, Words, number

NOTICEABLE = 1.25  # a ratio of times from which on they count as different
RANGES = ("read_back", "about_equal", "kept")


class Logging(Measuring):
    """Log the norm of each of many products, as in an exercise of the textbook."""

    times: int = number(10, 1000, default=200)

    def code(self, w: Words) -> str:
        return f"""{HEAD}{w.folded}
X, times = torch.rand(100, 100, device=device), {w.times}

def read_back():
    return [(X @ X).norm().item() for _ in range(times)]

def keep():
    log = [(X @ X).norm() for _ in range(times)]
    return torch.stack(log).tolist()

read = take_time(read_back, repeats=3)
kept = take_time(keep, repeats=3)
print(read, kept){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        return self.measured(run["read"], run["kept"], run["device"])

    def measured(self, read: float, kept: float, device: str) -> Answer:
        """Compare given times, in seconds."""
        prediction = ratio_id(read / kept, 1 / NOTICEABLE, NOTICEABLE, ids=RANGES)
        is_cpu = device == "cpu"
        if prediction == "about_equal":
            explanation = "nothing-to-wait-for" if is_cpu else "gpu-kept-up"
        elif prediction == "kept" and not is_cpu:
            explanation = "gpu-was-waited-for"
        else:
            explanation = "disturbed"
        return Answer(
            prediction=prediction,
            explanation=explanation,
            placeholders={
                "device": device,
                "times": self.times,
                "read": format_seconds(read),
                "kept": format_seconds(kept),
            },
            data=((("read", read), ("kept", kept)), not is_cpu),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None:
            return None
        ways, is_gpu = answer.data
        return bars.draw(
            [bars.Bar(labels[way], each, format_seconds(each), is_gpu) for way, each in ways]
        )
