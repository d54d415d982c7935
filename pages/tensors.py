"""Where tensors live, what happens when two of them live apart, and what they take."""

from playground.lessons.tensors import figures, source
from playground.lessons.tensors import records as ask
from ui import compute
from ui.lesson_frame import Lesson, Step
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("tensors")


@lesson.step("default-device")
def default_device(step: Step) -> None:
    reveal(step, choose(step, ask.PrintTensor), source.print_tensor, figures.device_map)


@lesson.step("create-on-device")
def create_on_device(step: Step) -> None:
    reveal(step, choose(step, ask.CreateTensor), source.create_tensor, figures.device_map)


@lesson.step("uninitialised")
def uninitialised(step: Step) -> None:
    reveal(step, choose(step, ask.AllocateEmpty), source.allocate_empty)


@lesson.step("move")
def move(step: Step) -> None:
    reveal(step, choose(step, ask.MoveTensor), source.move_tensor, figures.device_map)


@lesson.step("results-stay")
def results_stay(step: Step) -> None:
    reveal(step, choose(step, ask.ComputeOnDevice), source.compute_on_device, figures.device_map)


@lesson.step("same-device-error")
def same_device_error(step: Step) -> None:
    reveal(
        step,
        choose(step, ask.AddAcrossDevices),
        source.add_across_devices,
        figures.device_map,
        source.mend_meeting,
    )


@lesson.step("fix")
def fix(step: Step) -> None:
    reveal(
        step,
        choose(step, ask.FixAcrossDevices),
        source.fix_across_devices,
        figures.device_map,
        source.mend_meeting,
    )


@lesson.step("numpy")
def numpy(step: Step) -> None:
    reveal(step, choose(step, ask.ConvertToNumpy), source.convert_to_numpy, figures.shared_memory)


@lesson.step("new-and-like")
def new_and_like(step: Step) -> None:
    reveal(step, choose(step, ask.CreateAlike), source.create_alike, figures.device_map)


@lesson.step("one-to")
def one_to(step: Step) -> None:
    reveal(step, choose(step, ask.MoveAndConvert), source.move_and_convert, figures.device_map)


@lesson.step("pinned-memory")
def pinned_memory(step: Step) -> None:
    reveal(step, choose(step, ask.PinTensor), source.pin_tensor)


@lesson.step("transfer")
def transfer(step: Step) -> None:
    settings = choose(step, ask.MeasureTransfer)
    if settings.machine.is_simulated or step.measure("measure"):  # simulated: says why not, at once
        report = compute.run(settings)
        if report.transfers:
            step.table(report.COLUMNS, report.rows(step.words))
        step.why(report.why, **report.told)
    step.code(source.measure_transfer(settings))


@lesson.step("bytes")
def count_bytes(step: Step) -> None:
    reveal(step, choose(step, ask.MeasureTensor), source.measure_tensor, figures.memory_bars)


@lesson.step("out-of-memory")
def out_of_memory(step: Step) -> None:
    reveal(step, choose(step, ask.FillMemory), source.fill_memory, figures.memory_bars)


lesson.show()
