"""To disk and back: tensors, models, checkpoints, other machines, and what a file is made of."""

from playground.lessons.save_and_load import figures, source
from playground.lessons.save_and_load import records as ask
from ui import compute, download, xray
from ui.controls import choice, switch
from ui.lesson_frame import Lesson, Step
from ui.network import network
from ui.reveal import reveal, show
from ui.settings_form import choose

lesson = Lesson("save_and_load")


@lesson.step("tensors")
def tensors(step: Step) -> None:
    settings = choose(step, ask.RoundTrip)
    reveal(step, settings, source.round_trip, figures.trip)
    download.offer(step, ask.WriteFile(of=settings))


@lesson.step("folder")
def folder(step: Step) -> None:
    settings = choose(step, ask.SaveInto)
    reveal(step, settings, source.save_into, mend=source.mend_folder)
    if settings.leaves_file:
        download.offer(step, ask.WriteFile(of=settings))


@lesson.step("model")
def model(step: Step) -> None:
    own = choice(step, "own", ask.Own)
    chosen = network(step, own.network).to_json()
    asked = ("loads", "evaluates", "seed")
    settings = choose(step, ask.RestoreModel, asked, own=own, network=chosen)
    reveal(step, settings, source.restore_model, figures.outputs)
    download.offer(step, ask.WriteFile(of=settings))


@lesson.step("keys")
def keys(step: Step) -> None:
    chosen = network(step, ask.SMALL)
    asked = ("other", "is_swapped", "is_strict")
    settings = choose(step, ask.CompareKeys, asked, network=chosen.to_json())
    reveal(step, settings, source.compare_keys, figures.keys)
    download.offer(step, ask.WriteFile(of=settings))


@lesson.step("checkpoint")
def checkpoint(step: Step) -> None:
    settings = choose(step, ask.ResumeTraining)
    reveal(step, settings, source.resume_training, figures.curves)
    download.offer(step, ask.WriteFile(of=settings))


@lesson.step("elsewhere")
def elsewhere(step: Step) -> None:
    settings = choose(step, ask.LoadElsewhere)
    reveal(step, settings, source.load_elsewhere, figures.machines, source.mend_loading)
    download.offer(step, ask.WriteFile(of=settings))


@lesson.step("formats")
def formats(step: Step) -> None:
    settings = choose(step, ask.CompareFormats)
    report = compute.stream(settings, start="measure")
    if report is None:
        step.code(source.compare_formats(settings))
        return
    show(step, settings, report, source.compare_formats, figures.formats)
    download.offer(step, *(ask.WriteWeights(of=settings, format=each) for each in ask.FileFormat))


@lesson.step("trust")
def trust(step: Step) -> None:
    settings = choose(step, ask.AskPickle)
    report = compute.run(settings)
    if step.predicted(report.actual):
        step.outcome(report.outcome)
        step.why(report.why, **report.mentions)
        xray.explain(step, report.inspection, report.disassembly)
        step.code(source.ask_pickle(settings))


@lesson.step("xray")
def look_inside(step: Step) -> None:
    file = xray.brought(step)
    sample = None if file else choose(step, ask.MakeSample)
    if sample:
        made = compute.run(sample)
        file = xray.File(made.file_name, made.data, sample.sample)
    own = choice(step, "own", ask.Own)
    chosen = network(step, own.network)
    is_strict = switch(step, "is_strict", default=True)
    if file:
        xray.look(step, file, chosen, is_strict=is_strict)
    if sample:
        step.code(source.make_sample(sample))
    text = chosen.to_json()
    files = [ask.WriteParameters(network=text, format=each) for each in ask.FileFormat]
    download.offer(step, *files, heading="own_parameters")


@lesson.step("views")
def views(step: Step) -> None:
    settings = choose(step, ask.SaveView)
    reveal(step, settings, source.save_view, figures.storage)
    download.offer(step, ask.WriteFile(of=settings))


lesson.show()
