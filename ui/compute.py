"""Run an experiment from a page, with a word while it waits; the step keeps what came back.

``run(settings)`` returns the report, ``look_up(settings)`` what controls offer.
``stream(settings, start=…, draw=…)`` is for what takes long: a button, and once it is pressed a
progress bar, a live picture, a few facts and a stop button.
It returns the report, or None as long as there is none::

    report = compute.stream(settings, start="train", draw=figures.live)
    if report is not None:
        step.figure(figures.curves(report, step.palette, step.words), "curves", **report.pictured)
    step.code(source.train(settings))

``start`` names a label. What the experiment tells has ``fraction``, from 0 to 1, and ``facts``, by
label; ``draw(told, palette, words)`` makes an SVG text of it. The report stays, also where it is a
measurement, until a control of the step changes or the run is started again; where it was stopped,
what it told last stays on the screen.
"""

from collections.abc import Callable
from typing import TypeVar

from hosting.limits import experiments
from hosting.metrics import times
from playground import compute
from playground.compute.settings import Settings
from playground.compute.streaming import StreamSettings
from playground.palette import Palette, Words
from ui import live, rerun
from ui.step import Step

ReportT = TypeVar("ReportT")
WatchedT = TypeVar("WatchedT", bound=live.Watched)


def run(settings: Settings[ReportT]) -> ReportT:
    """The report of an experiment, for the step that is being drawn.

    Raises:
        AnswerFirstError: The student is to predict first; the frame asks.
        PlaygroundError: The experiment could not run; the lesson frame says so.
    """
    step = Step.current()
    step.simulates |= settings.simulates
    step.await_prediction()
    report = step.reports[type(settings).__name__] = look_up(settings)
    return report


def look_up(settings: Settings[ReportT]) -> ReportT:
    """What the controls of a step need to know, such as the names they offer.

    It gives no answer away, so it waits for no prediction, and challenges do not look at it.

    Raises:
        PlaygroundError: As in ``run``.
    """
    step = Step.current()
    experiments.admit(rerun.session())
    try:
        with times.experiment():
            return compute.run(settings, on_wait=step.wait, on_run=step.tell_running)
    finally:
        step.stop_waiting()


def stream(
    settings: StreamSettings[ReportT, WatchedT],
    *,
    start: str,
    draw: Callable[[WatchedT, Palette, Words], str] | None = None,
) -> ReportT | None:
    """The report of an experiment that the visitor starts, watches and may stop.

    Args:
        settings: The experiment's.
        start: The label of the button that starts it.
        draw: Makes the live picture, as SVG.

    Raises:
        AnswerFirstError: As in ``run``.
        PlaygroundError: As in ``run``.
    """
    step = Step.current()
    step.await_prediction()
    kept = live.recall(step, settings)
    live.offer(step, kept, start)
    screen = live.Screen(step, kept, draw)
    if kept.is_wanted:
        try:
            with screen, times.experiment(), _begin(settings, screen) as told:
                for progress in told:
                    screen.show(progress)
                kept.report = told.report
        except live.StoppedError:
            pass
        finally:
            kept.is_wanted = False
    report: ReportT | None = kept.report
    if report is None:
        screen.show_stopped()
    else:
        step.reports[type(settings).__name__] = report
    return report


def _begin(
    settings: StreamSettings[ReportT, WatchedT], screen: live.Screen
) -> compute.Stream[ReportT, WatchedT]:
    def wait(place: int) -> None:
        live.make_way()
        screen.wait(place)

    experiments.admit(rerun.session())
    return compute.stream(settings, on_wait=wait, on_run=live.make_way)
