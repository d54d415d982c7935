"""Cost of running a student's small program, from the check to the report.

Run it with ``python -m benchmarks.sandbox_cost``.
"""

import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.sample import Sample
from playground import sandbox
from playground.sandbox import jail
from playground.sandbox.live_run import LiveRun

TURNS = 100
AT_ONCE = 20
PROGRAM = """import torch
from torch import nn

net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
loss = net(torch.randn(8, 16)).pow(2).mean()
loss.backward()
print(net[0].weight.grad.shape)
loss
"""
TRACED = """import torch
from torch import nn

class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, X):
        return self.out(torch.relu(self.hidden(X)))

net = MLP()
net(torch.randn(8, 16))
"""
FIGURE = """import matplotlib.pyplot as plt

fig, axes = plt.subplots(figsize=(6, 4))
axes.plot([1, 2, 3, 4], [1.0, 0.5, 0.3, 0.2], "r--o", label="训练损失")
axes.set_xlabel("epoch")
axes.legend()
axes.grid()
plt.show()
"""
STREAMED = """import time

print("first line")
time.sleep(0.2)
"""


def measure(turns: int = TURNS, at_once: int = AT_ONCE) -> dict[str, float]:
    """Take all figures; none where the jail does not hold.

    Returns:
        The seconds until the jail had started and passed its self-test; the median and the 95th
        hundredth of the milliseconds of a small program alone, of one that defines a module, of
        one that draws a figure, and of many small ones that come at the same moment, waiting
        included; and of the milliseconds until the first line of a program that goes on is here.

    Raises:
        RuntimeError: A program failed.
    """
    jail.stop()
    started = time.perf_counter()
    if not jail.preflight():
        return {}
    figures = {"start_s": time.perf_counter() - started}
    for name, program in (("small", PROGRAM), ("traced", TRACED), ("figure", FIGURE)):
        alone = Sample(tuple(milliseconds(program) for _ in range(turns)))
        figures |= {f"{name}_median_ms": alone.median, f"{name}_p95_ms": alone.p95}
    first = Sample(tuple(milliseconds_to_first_line() for _ in range(turns // 4 or 1)))
    figures |= {"first_line_median_ms": first.median, "first_line_p95_ms": first.p95}
    with ThreadPoolExecutor(at_once) as threads:
        together = Sample(tuple(threads.map(milliseconds, [PROGRAM] * at_once)))
    jail.stop()
    return figures | {
        "at_once_median_ms": together.median,
        "at_once_p95_ms": together.p95,
    }


def milliseconds(program: str) -> float:
    """The time of one run.

    Raises:
        RuntimeError: It failed.
    """
    started = time.perf_counter()
    report = sandbox.run(program)
    taken = time.perf_counter() - started
    if not report.ok:
        raise RuntimeError(str(report))
    return taken * 1e3


class FirstLine(LiveRun):
    """Notes when the first output came."""

    def __init__(self) -> None:
        super().__init__()
        self.came_at = 0.0

    def write(self, text: bytes) -> None:
        self.came_at = self.came_at or time.perf_counter()
        super().write(text)


def milliseconds_to_first_line() -> float:
    """Return the milliseconds from a program's start to its first line, while it goes on.

    Raises:
        RuntimeError: It failed, or its line came at the end.
    """
    live = FirstLine()
    started = time.perf_counter()
    report = sandbox.run(STREAMED, live=live)
    ended = time.perf_counter()
    if not report.ok or not live.came_at or ended - live.came_at < 0.1:
        raise RuntimeError(str(report))
    return (live.came_at - started) * 1e3


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:28}{value:10.3f}")


if __name__ == "__main__":
    main()
