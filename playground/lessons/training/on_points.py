"""Base of the steps that train on points: their fields, and the recording of their runs."""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from playground.compute.settings import Settings
from playground.compute.streaming import ignore_progress
from playground.errors import InvalidSettingError
from playground.lessons.training import charts, own_points
from playground.lessons.training.definitions import Dataset
from playground.lessons.training.drawing import Frame, Training, draw_own, draw_planes
from playground.lessons.training.own_points import CROSS, REACH, Point
from playground.palette import Palette
from playground.steps import Answer, Labels, Picture, Progress, Step, points, run_program

MAX_FRAMES = 40  # of one run, beside the last
MAX_SMALL_FRAMES = 20  # the same, where a picture has several planes
CELLS, SMALL_CELLS = 40, 24  # of a plane, both ways
Look = Callable[[Any, Any], object]


class OnPoints(Step):
    """A step that trains on points of the plane, and shows how each of its runs divides it.

    Attributes:
        cells: Of each plane, both ways.
    """

    cells: ClassVar[int] = SMALL_CELLS
    dataset: Dataset = Dataset.MOONS
    own: str = points(default=CROSS, only_if={"dataset": (Dataset.OWN,)})

    def __post_init__(self) -> None:
        super().__post_init__()
        own_points.parse(self.own)

    @property
    def points(self) -> tuple[Point, ...]:
        """The visitor's points; empty where the step draws its own."""
        return own_points.parse(self.own) if self.dataset is Dataset.OWN else ()

    @property
    def is_complete(self) -> bool:
        """True if there are points of both classes."""
        return self.dataset is not Dataset.OWN or own_points.has_both_classes(self.points)

    def check_runnable(self) -> None:
        """Check that there are points of both classes.

        Raises:
            InvalidSettingError: One is missing.
        """
        if not self.is_complete:
            raise InvalidSettingError("points_classes", field="own", given=self.own)

    def names(self) -> tuple[str, ...]:
        """Return the name of each run, as an answer of the question or a label."""
        return ("",)

    def experiment(self, report_progress: Callable[[Progress], None] = ignore_progress) -> Answer:
        """Run the program and record its runs; called in the worker."""
        del report_progress
        recorder = Recorder(self.cells, MAX_SMALL_FRAMES)
        return self.recorded(recorder, recorder.look)

    def recorded(self, recorder: "Recorder", look: Look) -> Answer:
        """Run the program; the runs that the recorder has then seen are the answer's data.

        Args:
            recorder: Has a look at each run.
            look: Calls it.
        """
        with self.running():
            with watching(look):
                run = run_program(self.program())
            answer = replace(self.answer(run), data=recorder.trainings(self.names()))
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def first_state(self) -> Settings[Progress] | None:
        """Return what runs the program for one epoch, to see its models before the first step."""
        return Untrained(of=self.replaced(epochs=1)) if self.is_complete else None

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer:
            return draw_planes(answer.data, labels, self.points)
        return draw_own(self.points, labels) if self.points or not self.is_complete else None

    def live_picture(self, progress: Progress, labels: Labels) -> Picture:
        return draw_planes(progress.data, labels, self.points)

    def chart(
        self, data: Any, earlier: Any, labels: Labels, palette: Palette, said: str = ""
    ) -> Mapping[str, Any]:
        return charts.losses(data, earlier or (), labels, palette, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Untrained(Settings[Progress]):
    """The models of a step before their first step.

    Args:
        of: The step; its program is run, and only its first states are kept.
    """

    uses_hardware: ClassVar[bool] = False

    of: OnPoints

    def __post_init__(self) -> None:
        self.check_types()

    def experiment(self) -> Progress:
        """Run the program; called in the worker."""
        trained: Sequence[Training] = self.of.experiment().data
        untrained = tuple(
            replace(each, losses=(), accuracies=(), frames=each.frames[:1]) for each in trained
        )
        return Progress(fraction=0.0, data=untrained)


@contextmanager
def watching(look: Look) -> Iterator[None]:
    """Call a function before each step of any optimizer, with the program's Trainer and points.

    PyTorch calls a hook; the program needs no change. Before the first step of an epoch the model
    is as the epoch before has left it.
    """
    optimizers = importlib.import_module("torch.optim.optimizer")

    def hook(*_: object) -> None:
        frame = sys._getframe()
        while frame.f_code.co_name != "fit_epoch":  # the method of the Trainer that takes the step
            frame = cast("Any", frame.f_back)
        look(frame.f_locals["self"], frame.f_locals["points"])

    handle = optimizers.register_optimizer_step_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


@dataclass(slots=True)
class Recorder:
    """Records the planes of a program's runs, one after the other.

    Attributes:
        cells: Of each plane, both ways.
        most: Frames that are kept of a run, beside the last.
        runs: The Trainer of each run, its points and its frames.
    """

    cells: int
    most: int
    runs: list[tuple[Any, Any, list[Frame]]] = field(default_factory=list)

    def look(self, trainer: Any, points: Any) -> bool:
        """Record a frame; return False in the middle of an epoch."""
        if not self.runs or self.runs[-1][0] is not trainer:
            self.runs.append((trainer, points, []))
        frames = self.runs[-1][2]
        if frames and frames[-1].epoch == len(trainer.losses):
            return False
        frames.append(look_at(trainer, self.cells))
        return True

    def current(self) -> tuple[Training, ...]:
        """Return the run that goes on, with its last frame."""
        trainer, drawn, frames = self.runs[-1]
        return (_training(trainer, drawn, frames[-1:]),)

    def trainings(self, names: Sequence[str]) -> tuple[Training, ...]:
        """Return all runs with their frames, and the state in which each ended."""
        found = []
        for name, (trainer, drawn, frames) in zip(names, self.runs, strict=True):
            kept = [*frames[:: -(-len(frames) // self.most)], look_at(trainer, self.cells)]
            found.append(_training(trainer, drawn, kept, name))
        return tuple(found)


def _training(trainer: Any, points: Any, frames: Sequence[Frame], name: str = "") -> Training:
    X, labels = points.train
    pairs = zip(X.tolist(), labels.tolist(), strict=True)
    return Training(
        name=name,
        losses=tuple(trainer.losses),
        accuracies=tuple(trainer.accuracies),
        points=tuple((round(x, 2), round(y, 2), label) for (x, y), label in pairs),
        frames=tuple(frames),
    )


def look_at(trainer: Any, cells: int) -> Frame:
    """Evaluate the model of a Trainer on the cells of the plane; runs in the worker."""
    torch = importlib.import_module("torch")
    axis = torch.linspace(-REACH, REACH, cells)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    places = torch.stack((x.flatten(), y.flatten()), 1)
    was_training = trainer.model.training
    trainer.model.eval()
    with torch.no_grad():
        X, _ = trainer.prepare_batch((places, places))
        digits = "".join(map(str, trainer.model(X).argmax(1).tolist()))
    trainer.model.train(was_training)
    classes = tuple(digits[row * cells : (row + 1) * cells] for row in range(cells))
    return Frame(epoch=len(trainer.losses), classes=classes)
