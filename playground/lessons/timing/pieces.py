"""Step on copying the same bytes in one copy and in many."""

from playground.lessons.timing import bars
from playground.lessons.timing.measuring import HEAD, Measuring, factor, format_seconds, ratio_id
from playground.steps import Answer, Labels, Picture, Run, Words, number
from playground.units import MEBIBYTE, format_bytes

ALIKE, MANY = 1.5, 10.0  # ratios of times
RANGES = ("about_as_long", "several_times", "over_ten_times")


class Pieces(Measuring):
    """Copy some bytes at once, and in pieces."""

    mebibytes: int = number(1, 32, default=1)
    pieces: int = number(2, 16384, default=4096)

    def device_bytes(self) -> int:
        return self.mebibytes * MEBIBYTE

    def code(self, w: Words) -> str:
        return f"""{HEAD}{w.folded}
source = torch.ones({w.mebibytes} * 2**20, dtype=torch.uint8)
target = torch.zeros_like(source, device=device)
pieces = {w.pieces}
pairs = list(zip(target.chunk(pieces), source.chunk(pieces)))

def copy_pieces():
    for to, piece in pairs:
        to.copy_(piece)

one = take_time(lambda: target.copy_(source))
many = take_time(copy_pieces)
print(many / one){w.asked}
"""

    def answer(self, run: Run) -> Answer:
        return self.measured(run["one"], run["many"], len(run["pairs"]), run["device"])

    def measured(self, one: float, many: float, pieces: int, device: str) -> Answer:
        """Compare given times, in seconds."""
        prediction = ratio_id(many / one, ALIKE, MANY, ids=RANGES)
        is_free = prediction == "about_as_long"
        size = self.mebibytes * MEBIBYTE
        return Answer(
            prediction=prediction,
            explanation="call-hardly-counts" if is_free else "every-call-costs",
            placeholders={
                "size": format_bytes(size),
                "pieces": pieces,
                "piece": format_bytes(size // pieces),
                "one": format_seconds(one),
                "many": format_seconds(many),
                "ratio": factor(many / one),
                "per_call": format_seconds(many / pieces),
            },
            data=(
                bars.Bar("1 ×", one, format_seconds(one), device != "cpu"),
                bars.Bar(f"{pieces} ×", many, format_seconds(many), device != "cpu"),
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        return bars.draw(answer.data) if answer else None


def takes_five_times_as_long(step: Pieces, answer: Answer) -> bool:
    """Return whether the small copies took at least five times as long as the large one."""
    del step
    one, many = answer.data
    return bool(many.amount >= 5 * one.amount)
