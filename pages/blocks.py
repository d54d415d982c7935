"""Modules made of modules: in a row, built by hand, written as classes, nested."""

from playground.lessons.blocks import figures, source
from playground.lessons.blocks import records as ask
from ui import compute
from ui.builder import open_bench, show_controls, show_details, show_outcome
from ui.lesson_frame import Lesson, Step
from ui.reveal import reveal
from ui.settings_form import choose

lesson = Lesson("blocks")


@lesson.step("in-a-row")
def in_a_row(step: Step) -> None:
    reveal(step, choose(step, ask.CallSequential), source.call_sequential, figures.flow)


@lesson.step("build")
def build(step: Step) -> None:
    bench = open_bench(step, ask.STARTS)
    report = bench.run(lambda network: compute.run(ask.BuildNetwork(network=network)))
    is_asked = len(report.candidates) > 1  # else there is nothing to choose from
    is_hidden = is_asked and not step.predicted(report.largest, report.candidates)
    show_controls(bench, compute.run(ask.ListLayers()).layers, report.trace)
    if is_hidden:
        return
    show_outcome(bench, report.trace, report.printed)
    step.why(report.why, **report.mentions)
    step.figure(
        figures.shape_chain(report, step.palette, step.words), "shape_chain", **report.pictured
    )
    step.facts(report.facts)
    settings = ask.BuildNetwork(network=bench.text)
    programs = source.build_network(settings), source.build_network_as_class(settings)
    show_details(bench, report, *programs)


@lesson.step("custom-block")
def custom_block(step: Step) -> None:
    reveal(
        step,
        choose(step, ask.CompareWithSequential),
        source.compare_with_sequential,
        figures.outputs,
    )


@lesson.step("my-sequential")
def my_sequential(step: Step) -> None:
    mend = source.mend_container
    reveal(step, choose(step, ask.UseMySequential), source.use_my_sequential, figures.tree, mend)


@lesson.step("code-in-forward")
def code_in_forward(step: Step) -> None:
    reveal(step, choose(step, ask.CountLoops), source.count_loops, figures.loops)


@lesson.step("one-layer-twice")
def one_layer_twice(step: Step) -> None:
    reveal(step, choose(step, ask.TrainShared), source.train_shared, figures.shares)


@lesson.step("constant")
def constant(step: Step) -> None:
    reveal(
        step,
        choose(step, ask.MoveConstant),
        source.move_constant,
        figures.tree,
        source.mend_constant,
    )


@lesson.step("nested")
def nested(step: Step) -> None:
    reveal(step, choose(step, ask.NestBlocks), source.nest_blocks, figures.tree)


@lesson.step("five-duties")
def five_duties(step: Step) -> None:
    reveal(step, choose(step, ask.CheckDuties), source.check_duties, figures.slopes)


lesson.show()
