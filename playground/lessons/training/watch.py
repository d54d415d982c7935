"""Step "watch": a live view of a network that learns to classify points."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from playground.compute.streaming import ignore_progress
from playground.lessons.training.definitions import Dataset, Optimizer, definitions
from playground.lessons.training.drawing import Training, draw_planes
from playground.lessons.training.on_points import CELLS, MAX_FRAMES, OnPoints, Recorder
from playground.machines import MachineKind
from playground.steps import Answer, Labels, Machine, Picture, Progress, Run, Words, number

NEARLY_ALL = 0.95
FEW_EPOCHS = 60
OVERSHOT = 2  # times the loss of guessing, in the first epoch
MANY_DEAD = 0.5  # of the hidden units
REPORT_SECONDS = 0.05  # between two reports
LAST = {3: "early", 10: "ten", 30: "thirty", 1000: "late"}  # the last epoch of each answer


class Watch(OnPoints):
    """Train a perceptron on points in the plane, and report its state while it is trained."""

    is_watched: ClassVar[bool] = True
    timeout_seconds: ClassVar[float] = 100.0
    cells: ClassVar[int] = CELLS
    machine: Machine = Machine()
    optimizer: Optimizer = Optimizer.SGD
    learning_rate: float = number(0.001, 10.0, default=0.3)
    epochs: int = number(1, 120, default=20)
    num_gpus: int = number(0, 8, default=1)

    def code(self, w: Words) -> str:
        return f"""{definitions(self.dataset, self.points)}{w.folded}
torch.manual_seed(0)
points = Points({w.dataset}, seed=0)
model = Classifier({self.dataset.num_classes}, {w.optimizer}, lr={w.learning_rate})
trainer = Trainer(max_epochs={w.epochs}, num_gpus={w.num_gpus})
trainer.fit(model, points)

reached = [each >= 0.95 for each in trainer.accuracies]
print(reached.index(True) + 1 if True in reached else "never"){w.asked}
print(f"{{trainer.losses[-1]:.4f}} {{trainer.accuracies[-1]:.1%}}")
"""

    def host(self) -> Machine:
        """None: without a GPU the CPU runs it, at its own speed."""
        return self.machine if self.num_gpus else Machine(kind=MachineKind.REAL)

    def experiment(self, report_progress: Callable[[Progress], None] = ignore_progress) -> Answer:
        """Run the program, and report the progress after each epoch."""
        recorder = Recorder(CELLS, MAX_FRAMES)
        reported_at, reported_steps = time.perf_counter(), 0

        def look(trainer: Any, points: Any) -> None:
            nonlocal reported_at, reported_steps
            if not recorder.look(trainer, points) or not trainer.steps:
                return
            passed = time.perf_counter() - reported_at
            if passed >= REPORT_SECONDS:
                step_ms = 1000 * passed / (trainer.steps - reported_steps)
                report_progress(self.progress(recorder.current(), step_ms))
                reported_at, reported_steps = time.perf_counter(), trainer.steps

        return self.recorded(recorder, look)

    def progress(self, runs: tuple[Training, ...], step_ms: float) -> Progress:
        """Return the progress of the run; simulated devices report no time."""
        (run,) = runs
        facts: dict[str, str | None] = {
            "epoch": f"{len(run.losses)} / {self.epochs}",
            "loss": f"{run.losses[-1]:.4f}",
            "accuracy": f"{run.accuracies[-1]:.1%}",
        }
        is_timed = not self.host().is_simulated
        facts |= {"step_ms": f"{step_ms:.2f} ms"} if is_timed else {"no_step_ms": None}
        return Progress(fraction=len(run.losses) / self.epochs, facts=facts, data=runs)

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the curves below the plane too, as while it ran."""
        if answer is None:
            return super().picture(answer, labels)
        return draw_planes(answer.data, labels, self.points, self.epochs)

    def live_picture(self, progress: Progress, labels: Labels) -> Picture:
        """Draw the plane and the curves so far; their axes are there before the first epoch.

        At 120 epochs the curves add 3.9 kB and 0.4 ms to the 10.8 kB and 1.3 ms of the plane; a
        chart of plotly would be sent whole for each frame.
        """
        return draw_planes(progress.data, labels, self.points, self.epochs)

    def answer(self, run: Run) -> Answer:
        """Find the epoch from which nearly all unseen points are classified correctly."""
        trainer = run["trainer"]
        reached = [epoch for epoch, each in enumerate(trainer.accuracies, 1) if each >= NEARLY_ALL]
        first, last = trainer.losses[0], trainer.losses[-1]
        dead, units = dead_units(run.names)
        prediction = "never"
        if reached:
            prediction = next(answer for most, answer in LAST.items() if reached[0] <= most)
        return Answer(
            prediction=prediction,
            explanation=self.explanation(reached, last, dead / units, first),
            facts={
                "reached": reached[0] if reached else None,
                "accuracy": f"{trainer.accuracies[-1]:.1%}",
                "loss": f"{last:.4f}",
                "steps": trainer.steps,
                "model_device": str(next(run["model"].parameters()).device),
            },
            placeholders={
                "epochs": self.epochs,
                "first": f"{first:.3g}",
                "last": f"{last:.3g}",
                "guessing": f"{self.guessing:.3g}",
                "dead": dead,
                "units": units,
            },
        )

    def explanation(self, reached: list[int], last: float, dead: float, first: float) -> str:
        """Say what the run shows; a first epoch far worse than guessing has overshot."""
        if reached:
            return "learned"
        is_stuck = not last < self.guessing  # also NaN
        if is_stuck and first > OVERSHOT * self.guessing and dead >= MANY_DEAD:
            return "dead"
        if not math.isfinite(last):
            return "diverged"
        return "not-learned" if last <= 1.1 * self.guessing else "diverged"

    @property
    def guessing(self) -> float:
        """The loss of a model that gives every class the same score."""
        return math.log(self.dataset.num_classes)


def dead_units(names: Mapping[str, Any]) -> tuple[int, int]:
    """Count the hidden units that are 0 for every training point, and all; runs in the worker."""
    trainer, (X, labels) = names["trainer"], names["points"].train
    X, _ = trainer.prepare_batch((X, labels))
    dead = units = 0
    with names["torch"].no_grad():
        for layer in trainer.model.net:
            X = layer(X)
            if isinstance(layer, names["nn"].ReLU):
                dead += int((X == 0).all(0).sum().item())
                units += X.shape[1]
    return dead, units


def spirals_in_sixty(step: Watch, answer: Answer) -> bool:
    """Check that nearly all unseen points of the spirals are right within few epochs."""
    is_asked = step.dataset is Dataset.SPIRALS and step.epochs <= FEW_EPOCHS
    return is_asked and answer.data[0].accuracies[-1] >= NEARLY_ALL
