"""What a device buys, measured on this server: products, clocks, copies, and looking at a loss."""

from typing import Any

from playground.lessons.timing import figures, source
from playground.lessons.timing import records as ask
from ui import compute
from ui.controls import choice, number, switch
from ui.lesson_frame import Lesson, Step

lesson = Lesson("timing")


def measure(step: Step, settings: Any, program: Any, draw: Any) -> Any:
    """Measure when asked to; then what was timed, the picture, the numbers, the reason, the code.

    The badge of simulated devices never stands here: nothing simulated is ever timed.
    """
    report = compute.stream(settings, start="measure", draw=figures.live)
    if report is None and settings.refused:
        step.why("simulated-have-no-time", **settings.refused)
    if report is not None and step.predicted(report.actual):
        step.why(report.where, **report.placed)
        step.figure(draw(report, step.palette, step.words), draw.__name__, **report.told)
        step.why(report.why, **report.told)
        for note, mentions in report.notes:
            step.why(note, **mentions)
        step.table(report.COLUMNS, report.rows(step.words))
        step.facts(report.facts)
        step.download("as_csv", report.csv, f"{step.catalog_step.id}.csv")
    step.code(program(settings))


def bounded(step: Step, kind: Any, field: str) -> int:
    """A number whose default and bounds stand in the record."""
    value: int = number(step, field, default=getattr(kind(), field), **kind.BOUNDS[field])
    return value


@lesson.step("products")
def products(step: Step) -> None:
    settings = ask.MatmulSweep.up_to(
        choice(step, "largest", ask.LargestSize),
        machine=step.machine_now,
        all_threads=switch(step, "all_threads"),
    )
    measure(step, settings, source.matmul_sweep, figures.product_times)


@lesson.step("clocks")
def clocks(step: Step) -> None:
    size = bounded(step, ask.CompareClocks, "size")
    settings = ask.CompareClocks(machine=step.machine_now, size=size)
    measure(step, settings, source.compare_clocks, figures.clocks)


@lesson.step("bandwidth")
def bandwidth(step: Step) -> None:
    mebibytes = bounded(step, ask.MeasureBandwidth, "mebibytes")
    settings = ask.MeasureBandwidth(machine=step.machine_now, mebibytes=mebibytes)
    measure(step, settings, source.measure_bandwidth, figures.bandwidths)


@lesson.step("pieces")
def pieces(step: Step) -> None:
    settings = ask.SplitCopy(
        machine=step.machine_now,
        mebibytes=bounded(step, ask.SplitCopy, "mebibytes"),
        pieces=int(choice(step, "pieces", ask.Pieces, default=ask.Pieces.P4096)),
    )
    measure(step, settings, source.split_copy, figures.pieces)


@lesson.step("logging")
def logging(step: Step) -> None:
    settings = ask.LogLosses(
        machine=step.machine_now,
        steps=bounded(step, ask.LogLosses, "steps"),
        every=bounded(step, ask.LogLosses, "every"),
        width=bounded(step, ask.LogLosses, "width"),
    )
    measure(step, settings, source.log_losses, figures.runs)


lesson.show()
