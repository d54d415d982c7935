"""What moves when a network moves to a device, and what stays behind."""

from playground.lessons.models import figures, source
from playground.lessons.models import records as ask
from ui.lesson_frame import Lesson, Step
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("models")


@lesson.step("where-is-a-model")
def where_is_a_model(step: Step) -> None:
    reveal(step, choose(step, ask.FindModel), source.find_model, figures.lanes)


@lesson.step("move-in-place")
def move_in_place(step: Step) -> None:
    reveal(step, choose(step, ask.MoveInPlace), source.move_in_place, figures.lanes)


@lesson.step("input-and-model")
def input_and_model(step: Step) -> None:
    reveal(step, choose(step, ask.FeedModel), source.feed_model, figures.pairs, source.mend_feeding)


@lesson.step("loss")
def loss(step: Step) -> None:
    reveal(
        step, choose(step, ask.ComputeLoss), source.compute_loss, figures.lanes, source.mend_loss
    )


@lesson.step("ledger")
def ledger(step: Step) -> None:
    reveal(step, choose(step, ask.MoveModel), source.move_model, figures.lanes, source.mend_model)


@lesson.step("optimizer")
def optimizer(step: Step) -> None:
    reveal(step, choose(step, ask.MoveWithOptimizer), source.move_with_optimizer, figures.lanes)


@lesson.step("lazy")
def lazy(step: Step) -> None:
    reveal(step, choose(step, ask.MoveLazy), source.move_lazy, figures.lanes, source.mend_lazy)


@lesson.step("reading-back")
def reading_back(step: Step) -> None:
    reveal(step, choose(step, ask.ReadResult), source.read_result, figures.lanes)


lesson.show()
