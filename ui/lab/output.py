"""What came of a program: printed text, value, error, pictures, networks; text stays plain text."""

import html
from typing import TYPE_CHECKING

import streamlit as st

from playground.compute.outcome import Outcome
from playground.lab import figures
from playground.lab.exercises import Grade
from playground.sandbox.limits import LIMITS
from ui import answer_view, failures, language, rerun, theme
from ui.lab import exercises, modules, ran
from ui.lab.desk import Came, Desk
from ui.lab.editor import Mark
from ui.quoting import quote, quote_markdown
from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from playground.sandbox.report import SandboxReport
    from ui.lab.running import Running

CHART = {"displayModeBar": False, "responsive": True}
POLL_SECONDS = 0.03
PATIENCE_SECONDS = 0.5


def draw(desk: Desk) -> None:
    """Wait for the run, if there is one, and show the last report."""
    waiting = st.empty()
    running = desk.running
    if running is not None and _attend(desk, running, waiting):
        desk.running = None
        if not running.is_stopped:
            desk.shown = running
    run = desk.shown
    if run is None:
        st.html(f'<div class="tp-invite">{quote_markdown(say("lab.invite"))}</div>')
        return
    if run.source.strip() != desk.text.strip():
        st.caption(say("lab.outdated"))
    grade = run.report if isinstance(run.report, Grade) else None
    report = run.report.report if isinstance(run.report, Grade) else run.report
    if grade is not None and grade.passed:
        exercises.show_verdict(desk, grade)
    if report is None:
        _show_failure(run)
    elif grade is None or not grade.is_solved:
        _show(report, run, has_verdict=grade is not None and bool(grade.passed))


def _attend(desk: Desk, running: "Running[Came]", waiting: "DeltaGenerator") -> bool:
    """Wait until a run is over, or the visitor does something; True once it is over."""
    told = None
    words: DeltaGenerator | None = None
    while not running.wait(POLL_SECONDS):
        if rerun.is_asked_for():
            return False
        if running.seconds < PATIENCE_SECONDS:
            continue
        if words is None:
            box = waiting.container(horizontal=True, vertical_alignment="center", key="lab-waiting")
            words = box.empty()
            box.button(say("stream.stop"), key="lab-stop", on_click=_stop, args=(desk,))
        now = _words(running)
        if now != told:
            words.caption(now)
            told = now
    waiting.empty()
    return True


def _words(running: "Running[Came]") -> str:
    if running.place:
        return say("step.waiting", place=running.place)
    return say("step.running", seconds=round(running.seconds))


def _stop(desk: Desk) -> None:
    if desk.running is not None:
        desk.running.stop()


def marks(desk: Desk) -> tuple[Mark, ...]:
    """The lines of the program that the report says something about."""
    report = desk.shown.report if desk.shown else None
    report = report.report if isinstance(report, Grade) else report
    if report is None:
        return ()
    if report.findings:
        tongue = language.current()
        return tuple(
            Mark(each.line, max(each.column - 1, 0), each.sentence(tongue))
            for each in report.findings
        )
    if report.line is None:
        return ()
    column = max((report.column or 1) - 1, 0)
    return (Mark(report.line, column, f"{report.error_type}: {report.message}"),)


def _show_failure(run: "Running[Came]") -> None:
    words = failures.sentence(run.error, {}) if run.error else say("failures.unforeseen")
    st.warning(words)


def _show(report: "SandboxReport", run: "Running[Came]", *, has_verdict: bool) -> None:
    parts = [] if has_verdict else [_verdict(report, run)]
    parts += [
        _warning(each.text, each.line)
        for each in report.warnings
        if not ran.has_line(run.source, each.line)
    ]
    if parts:
        st.html(f'<div class="tp-answer">{"".join(parts)}</div>')
    if not report.findings:
        ran.draw(report, run.source)
    if report.output and not ran.is_all_printed(report):
        _show_text(say("lab.printed"), report.output)
    if report.value is not None:
        _show_text(say("lab.value"), report.value)
        if report.value_total is not None:
            st.caption(say("lab.value-cut", most=LIMITS.shown_elements, total=report.value_total))
    for number, figure in enumerate(report.figures):
        st.plotly_chart(
            figures.plotted(figure, theme.palette()),
            theme=None,
            config=CHART,
            key=f"lab-figure-{number}",
            alt=say("lab.figure-alt", count=len(figure.series), title=_text(figure.title)),
        )
        if figure.left_out:
            st.caption(say("lab.figure-cut", count=figure.left_out))
    if report.ok and report.explanation:
        st.caption(quote_markdown(report.explanation.say(language.current())))
    for number, module in enumerate(report.modules):
        modules.draw(module, number)


def _verdict(report: "SandboxReport", run: "Running[Came]") -> str:
    """The panel that says what became of the run."""
    simulated = say("machine.simulated-result") if run.machine.is_simulated else ""
    if report.findings:
        tongue = language.current()
        said = "".join(
            f"<li><b>{_line(each.line)}</b> {quote_markdown(each.sentence(tongue))}</li>"
            for each in report.findings
        )
        return (
            f'<div class="tp-outcome tp-refused" role="status"><b>{say("lab.not-allowed")}</b>'
            f'<ul class="tp-findings">{said}</ul></div>'
        )
    if report.ok:
        outcome = Outcome(ok=True)
        return answer_view.outcome(outcome, "", "", simulated)
    title = html.escape(report.error_type) or say("lab.stopped")
    place = f" — {_line(report.line)}" if report.line is not None else ""
    head = answer_view.head(f"<b>✗ {title}</b>{place}", simulated)
    is_at_line = not report.message or ran.has_line(run.source, report.line)
    said = "" if is_at_line else f'<div class="tp-said">{quote(report.message)}</div>'
    why = report.explanation.say(language.current()) if report.explanation else ""
    told = f'<div class="tp-lab-why">{quote_markdown(why)}</div>' if why else ""
    return f'<div class="tp-outcome tp-refused" role="status">{head}{told}{said}</div>'


def _warning(text: str, line: int | None) -> str:
    place = f"{_line(line)}: " if line is not None else ""
    return f'<div class="tp-why"><b>⚠ {place}</b>{quote(text)}</div>'


def _show_text(heading: str, text: str) -> None:
    """Show a text letter by letter; ``st.code`` would cut its indentation off."""
    shown = html.escape(text, quote=False)
    st.html(
        f"{answer_view.heading(heading)}"
        f'<pre class="tp-text" tabindex="0" aria-label="{html.escape(heading)}">\n{shown}</pre>'
    )


def _line(number: int) -> str:
    return html.escape(say("lab.line", line=number))


def _text(title: str) -> str:
    return title or say("lab.untitled")
