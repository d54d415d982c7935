"""Layers of one's own: without parameters, with them, as a part, and why a Parameter is one."""

from playground.lessons.custom_layers import figures, source
from playground.lessons.custom_layers import records as ask
from ui.lesson_frame import Lesson, Step
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("custom_layers")


@lesson.step("centered-layer")
def centered_layer(step: Step) -> None:
    reveal(step, choose(step, ask.CenterValues), source.center_values, figures.shift)


@lesson.step("mean-in-a-net")
def mean_in_a_net(step: Step) -> None:
    reveal(step, choose(step, ask.MeasureMean), source.measure_mean, figures.magnitudes)


@lesson.step("my-linear")
def my_linear(step: Step) -> None:
    reveal(step, choose(step, ask.UseMyLinear), source.use_my_linear, figures.gradient_map)


@lesson.step("data-trap")
def data_trap(step: Step) -> None:
    reveal(step, choose(step, ask.TrainThrough), source.train_through, figures.losses)


@lesson.step("two-layouts")
def two_layouts(step: Step) -> None:
    reveal(step, choose(step, ask.CopyWeights), source.copy_weights, figures.layouts)


@lesson.step("component")
def component(step: Step) -> None:
    reveal(step, choose(step, ask.UseAsComponent), source.use_as_component)


@lesson.step("kinds-of-tensors")
def kinds_of_tensors(step: Step) -> None:
    reveal(step, choose(step, ask.HoldTensor), source.hold_tensor, figures.holdings)


@lesson.step("assignment")
def assignment(step: Step) -> None:
    reveal(step, choose(step, ask.AssignWeight), source.assign_weight)


lesson.show()
