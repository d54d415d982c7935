"""Cost of the Trainer over a plain loop, of streaming over silence, and time until a stop frees.

Each pair runs in turns in one go, so that whatever else the computer does falls on both; the
figures are medians over the turns. Run it with ``python -m benchmarks.trainer_overhead``.
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from playground.compute import start_method
from playground.compute.pool import WorkerPool
from playground.compute.runner import Runner
from playground.lessons.training.watch import Watch
from playground.training.points import BATCH_SIZE, Points, moons
from playground.training.trainer import Classifier, Trainer
from tests.compute.probe.records import CountUp, MeasureAddUp

EPOCHS = 20
TURNS = 15
STOPS = 20
REPORTS = 2000


def measure() -> dict[str, float]:
    """Take all figures with one torch thread.

    Returns:
        Ratios (``*_ratio``) of the medians, microseconds (``*_us``) and milliseconds (``*_ms``).
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    runner = Runner(_one_worker)
    try:
        return {**_trainer(), **_streaming(runner), **_stopping(runner)}
    finally:
        runner.stop()
        torch.set_num_threads(threads)


def main() -> None:
    """Print the figures, one to a line."""
    for name, value in measure().items():
        print(f"{name:32}{value:10.3f}")


def plain_loop() -> None:
    """The textbook's loop: what the Trainer does, without it."""
    torch.manual_seed(0)
    points = Points(moons, 2, 0)
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    (inputs, labels), (new_inputs, new_labels) = points.train, points.val
    losses = []
    for _ in range(EPOCHS):
        total = 0.0
        for chosen in torch.randperm(len(labels), generator=points.generator).split(BATCH_SIZE):
            loss = criterion(net(inputs[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        losses.append(total / len(labels))
        with torch.no_grad():
            (net(new_inputs).argmax(1) == new_labels).sum().item()


def with_trainer() -> None:
    """The same, by the Trainer."""
    torch.manual_seed(0)
    Trainer(EPOCHS).fit(Classifier(2, "SGD", 0.1), Points(moons, 2, 0))


def _trainer() -> dict[str, float]:
    plain, trained = _in_turns(plain_loop, with_trainer)
    on_cpu, on_gpu = _in_turns(
        Watch(num_gpus=0, epochs=100).experiment, Watch(num_gpus=1, epochs=100).experiment, turns=5
    )
    return {
        "trainer_over_plain_loop_ratio": trained / plain,
        "100_epochs_cpu_s": on_cpu,
        "100_epochs_simulated_gpu_s": on_gpu,
    }


def _streaming(runner: Runner) -> dict[str, float]:
    silent, streamed = CountUp(total=REPORTS), CountUp(total=REPORTS)
    runner.run(silent)

    def listen() -> None:
        for _ in runner.stream(streamed):
            pass

    quiet, on_message = _in_turns(lambda: runner.run(silent), listen)
    silently, telling = _in_turns(
        with_trainer, Watch(num_gpus=0, learning_rate=0.1, epochs=EPOCHS).experiment
    )
    return {
        "one_record_told_us": (on_message - quiet) / REPORTS * 1e6,
        "telling_over_silent_ratio": telling / silently,
    }


def _stopping(runner: Runner) -> dict[str, float]:
    """From closing the stream to the next report of the same, only worker."""
    return {
        "stop_of_a_run_that_tells_ms": _stop(runner, CountUp(total=10_000, pause_seconds=0.01)),
        "stop_of_a_run_that_hangs_ms": _stop(runner, CountUp(total=1, end="hang")),
    }


def _stop(runner: Runner, settings: CountUp) -> float:
    taken = []
    for _ in range(STOPS):
        with runner.stream(settings) as stream:
            next(stream)
            begun = time.perf_counter()
        runner.run(MeasureAddUp(count=3))
        taken.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(taken)


def _in_turns(
    first: Callable[[], object], second: Callable[[], object], turns: int = TURNS
) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    first(), second()
    for _ in range(turns):
        for action, taken in zip((first, second), times, strict=True):
            begun = time.perf_counter()
            action()
            taken.append(time.perf_counter() - begun)
    return statistics.median(times[0]), statistics.median(times[1])


def _one_worker() -> dict[str, WorkerPool]:
    return {
        "cpu": WorkerPool("cpu", workers=1, context=start_method.fastest_context(), hides_cuda=True)
    }


if __name__ == "__main__":
    main()
