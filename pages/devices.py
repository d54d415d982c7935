"""What this computer has, and how a program names and chooses a device."""

from collections.abc import Callable
from typing import Any

from playground.lessons.devices import figures, source
from playground.lessons.devices import records as ask
from ui import compute
from ui.controls import choice, device, number, option, slider, switch, text
from ui.lesson_frame import Lesson, Step

lesson = Lesson("devices")


def reveal(step: Step, settings: Any, program: Callable[..., str], draw: Any = None) -> Any:
    report: ask.Explained = compute.run(settings)
    if report.actual is not None and not step.predicted(report.actual, report.answers):
        return None
    if report.said:
        step.outcome(report.said)
    if draw:  # a picture and its alternative text have one name
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.told)
    step.facts(report.facts)
    step.why(report.why, **report.told)
    step.printed(report.printed)
    step.code(program(settings))
    return report


@lesson.step("environment")
def environment(step: Step) -> None:
    here = compute.run(ask.ReadGpus(machine=step.machine_now))  # unbadged: the server is real
    step.why(here.where, **here.told)
    report = reveal(step, ask.ReadServer(), source.read_server)
    step.printed(report.text, height=200)
    step.download("as-text", report.text, "environment.txt")


@lesson.step("gpus")
def gpus(step: Step) -> None:
    index = number(step, "index", least=0, most=ask.MOST_INDEX, default=0)
    settings = ask.ReadGpus(machine=step.machine, index=index)
    reveal(step, settings, source.read_gpus, figures.machine)


@lesson.step("nvidia-smi")
def nvidia_smi(step: Step) -> None:
    report = reveal(step, ask.RunNvidiaSmi(), source.run_nvidia_smi)
    step.table(("smi-field", "smi-meaning"), report.rows(step.words))


@lesson.step("memory-figures")
def memory_figures(step: Step) -> None:
    mebibytes = slider(step, "mebibytes", least=1, most=128, default=8)
    settings = ask.CompareMemoryFigures(machine=step.machine, mebibytes=mebibytes)
    reveal(step, settings, source.compare_memory_figures, figures.memory)


@lesson.step("device-object")
def device_object(step: Step) -> None:
    settings = ask.UseDevice(machine=step.machine, text=option(step, "text", ask.UseDevice.TEXTS))
    reveal(step, settings, source.use_device)


@lesson.step("device-equality")
def device_equality(step: Step) -> None:
    left = option(step, "left", ask.CompareDevices.TEXTS, default="cuda")
    right = option(step, "right", ask.CompareDevices.TEXTS, default="cuda:0")
    settings = ask.CompareDevices(machine=step.machine, left=left, right=right)
    reveal(step, settings, source.compare_devices)


@lesson.step("try-gpu")
def try_gpu(step: Step) -> None:
    index = number(step, "index", least=0, most=ask.MOST_INDEX, default=1)
    settings = ask.TryGpu(machine=step.machine, index=index)
    reveal(step, settings, source.try_gpu, figures.request)


@lesson.step("try-all-gpus")
def try_all_gpus(step: Step) -> None:
    settings = ask.TryAllGpus.on_host(slider(step, "gpus", least=0, most=8, default=0))
    reveal(step, settings, source.try_all_gpus)


@lesson.step("device-agnostic")
def device_agnostic(step: Step) -> None:
    settings = ask.PickDevice(machine=step.machine, idiom=choice(step, "idiom", ask.Idiom))
    reveal(step, settings, source.pick_device)


@lesson.step("visible-devices")
def visible_devices(step: Step) -> None:
    value = text(step, "value", default="1", most=ask.VisibleDevices.MOST_CHARACTERS)
    settings = ask.VisibleDevices(
        value=value if switch(step, "is-set", default=True) else None,
        physical_gpus=slider(step, "physical_gpus", least=0, most=8, default=4),
        variable=choice(step, "variable", ask.Variable),
        moment=choice(step, "moment", ask.Moment),
    )
    reveal(step, settings, source.visible_devices, figures.visible)


@lesson.step("current-device")
def current_device(step: Step) -> None:
    way, call = choice(step, "way", ask.CurrentWay), choice(step, "call", ask.Call)
    index = number(step, "index", least=0, most=ask.MOST_INDEX, default=1)
    settings = ask.UseCurrentDevice(machine=step.machine, way=way, index=index, call=call)
    reveal(step, settings, source.use_current_device, figures.landings)


@lesson.step("default-device")
def default_device(step: Step) -> None:
    way, factory = choice(step, "way", ask.DefaultWay), choice(step, "factory", ask.Factory)
    chosen = device(step, "device", default="cuda:1")
    settings = ask.UseDefaultDevice(machine=step.machine, way=way, device=chosen, factory=factory)
    reveal(step, settings, source.use_default_device, figures.landings)


lesson.show()
