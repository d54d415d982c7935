"""The output of a program: its lines, text, value, error, plots, networks; text stays plain."""

import html
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hosting.framework_internals import streamlit_session
from playground.errors import Outcome
from playground.lab import errors, questions
from playground.lab.exercises import Grade
from playground.lab.questions import Question
from playground.sandbox.limits import LIMITS
from playground.sandbox.report import SandboxReport
from ui import error_page, html_markup
from ui.html_markup import inline_to_html, text_to_html
from ui.lab import editor, examples, figures, modules, submit
from ui.lab.editor import Mark
from ui.lab.live_output import LiveOutput
from ui.lab.run import SandboxRun
from ui.lab.session import LabSession, RunResult
from ui.language import current_language, say
from ui.panel import component, plain, view

POLL_SECONDS = 0.03
PROGRAM_KEY = "lab-ran"
MAX_LINES = 400  # of a program; the rest is in the editor


def draw(lab: LabSession, again: Callable[[], None]) -> None:
    """Wait for the current run, and draw the last report.

    Args:
        lab: Holds the text and its runs.
        again: Called in a callback after a fix was applied, to redraw the lab.
    """
    waiting = st.empty()
    running = lab.running
    if running is not None and _wait_for(lab, running, waiting):
        lab.running, lab.shown = None, running
    run = lab.shown
    if run is None:
        st.html(f'<div class="tp-invite">{inline_to_html(say("lab.invite"))}</div>')
        return
    if run.source.strip() != lab.text.strip():
        st.caption(say("lab.outdated"))
    grade = run.report if isinstance(run.report, Grade) else None
    report = run.report.report if isinstance(run.report, Grade) else run.report
    if grade is not None and grade.passed:
        examples.show_verdict(lab, grade)
    if report is None:
        _draw_failure(run)
    elif grade is None or not grade.is_solved:
        has_verdict = grade is not None and bool(grade.passed)
        _draw_report(report, run, lambda: _apply(lab, report, run, again), has_verdict=has_verdict)


def _wait_for(lab: LabSession, running: SandboxRun[RunResult], waiting: DeltaGenerator) -> bool:
    """Draw a run until it has ended (True) or the visitor does something (False)."""
    live = LiveOutput(lab, running, waiting)
    while not running.wait(POLL_SECONDS):
        if streamlit_session.is_rerun_requested():
            streamlit_session.join_requested_rerun()
            return False
        live.draw()
    live.end()
    return True


def marks(lab: LabSession) -> tuple[Mark, ...]:
    """Return remarks on lines of the program: of its run, or of the check if it changed since."""
    run = lab.shown
    if run is None or run.source.strip() != lab.text.strip():
        return editor.findings(lab.text)
    report = run.report.report if isinstance(run.report, Grade) else run.report
    if report is None or report.violations or report.line is None:
        return editor.findings(lab.text, is_run=report is not None and bool(report.violations))
    column = max((report.column or 1) - 1, 0)
    message = f"{report.error_type}: {report.message}"
    return (Mark(report.line, column, message, is_run=True),)


def _draw_failure(run: SandboxRun[RunResult]) -> None:
    if run.is_stopped:
        st.caption(say("lab.stopped-waiting"))
        return
    words = error_page.sentence(run.error, {}) if run.error else say("failures.unforeseen")
    st.warning(words)


def _apply(
    lab: LabSession, report: SandboxReport, run: SandboxRun[RunResult], again: Callable[[], None]
) -> None:
    """In a callback: put the program with its fix into the editor, and run it."""
    if report.fix and lab.shown is run:
        lab.replace(errors.replaced(run.source, *report.fix))
        submit.run(lab)
        again()


def _draw_report(
    report: SandboxReport,
    run: SandboxRun[RunResult],
    apply: Callable[[], None],
    *,
    has_verdict: bool,
) -> None:
    parts = [] if has_verdict else [_verdict_html(report, run)]
    parts += [
        _warning_html(each.text, each.line)
        for each in report.warnings
        if not has_line(run.source, each.line)
    ]
    parts += [_question_html(each) for each in questions.questions(report, run.source)]
    if parts:
        st.html(f'<div class="tp-answer">{"".join(parts)}</div>')
    if not report.violations:
        draw_program(report, run.source, apply)
    if report.output and not is_all_printed(report):
        _draw_text(say("lab.printed"), report.output)
    if report.value is not None:
        _draw_text(say("lab.value"), report.value)
        if report.value_total is not None:
            st.caption(say("lab.value-cut", most=LIMITS.shown_elements, total=report.value_total))
    if report.bars:
        st.html(figures.bars_html(report.bars))
    for figure in report.figures:
        st.html(figures.picture_html(figure))
    if report.ok and report.explanation:
        st.caption(inline_to_html(report.explanation.say(current_language())))
    for number, module in enumerate(report.modules):
        modules.draw(module, number)


def _verdict_html(report: SandboxReport, run: SandboxRun[RunResult]) -> str:
    """Format the outcome of the run as a box."""
    simulated = say("machine.simulated-result") if run.machine.is_simulated else ""
    if report.violations:
        language = current_language()
        said = "".join(
            f"<li><b>{_line_label(each.line)}</b> {inline_to_html(each.sentence(language))}</li>"
            for each in report.violations
        )
        return (
            f'<div class="tp-outcome tp-refused"><b>{say("lab.not-allowed")}</b>'
            f'<ul class="tp-findings">{said}</ul></div>'
        )
    if report.ok:
        outcome = Outcome(ok=True)
        return html_markup.outcome(outcome, "", "", simulated)
    title = html.escape(report.error_type) or say("lab.stopped")
    place = f" — {_line_label(report.line)}" if report.line is not None else ""
    head = html_markup.answer_head(f"<b>✗ {title}</b>{place}", simulated)
    is_at_line = not report.message or has_line(run.source, report.line)
    message = f"{text_to_html(report.message)}{_meaning_html(report, run.source)}"
    said = "" if is_at_line else f'<div class="tp-said">{message}</div>'
    why = report.explanation.say(current_language()) if report.explanation else ""
    reason = f'<div class="tp-lab-why">{inline_to_html(why)}</div>' if why else ""
    return f'<div class="tp-outcome tp-refused">{head}{reason}{said}</div>'


def _warning_html(text: str, line: int | None) -> str:
    place = f"{_line_label(line)}: " if line is not None else ""
    return f'<div class="tp-why"><b>⚠ {place}</b>{text_to_html(text)}</div>'


def _question_html(question: Question) -> str:
    place = "" if question.line is None else f" {_line_label(question.line)}:"
    words = inline_to_html(question.sentence.said(current_language()))
    head = html.escape(say("lab.question"))
    return f'<div class="tp-why tp-question"><b>{head}</b>{place} {words}</div>'


def _draw_text(heading: str, text: str) -> None:
    """Draw a text unchanged; ``st.code`` would remove its indentation."""
    shown = html.escape(text, quote=False)
    st.html(
        f"{html_markup.heading(heading)}"
        f'<pre class="tp-text" tabindex="0" aria-label="{html.escape(heading)}">\n{shown}</pre>'
    )


def _line_label(number: int) -> str:
    return html.escape(say("lab.line", line=number))


def draw_program(report: SandboxReport, source: str, apply: Callable[[], None]) -> None:
    """Draw the program with the results of its lines.

    Args:
        report: Of a run that was not refused.
        source: The program.
        apply: Called in a callback to apply the fix.
    """
    data: view.Data = {
        "key": PROGRAM_KEY,
        "words": {"program": say("lab.ran"), "apply": say("panel.apply")},
        "lines": program_lines(report, source),
    }
    if editor.is_plain() or plain.is_chosen():
        plain.draw(PROGRAM_KEY, data, lambda _: apply())
    else:
        component.draw(PROGRAM_KEY, data, apply)


def program_lines(report: SandboxReport, source: str) -> tuple[view.Data, ...]:
    """Return the lines of a program as data for the panel; invalid line numbers are ignored."""
    recorded = {line.number: view.recorded(line) for line in report.lines}
    warnings: dict[int | None, tuple[str, ...]] = {}
    for each in report.warnings:
        warnings[each.line] = (*warnings.get(each.line, ()), each.text)
    remarks: dict[int, tuple[str, ...]] = {}
    for note in report.notes:
        remark = inline_to_html(note.sentence(current_language()))
        remarks[note.line] = (*remarks.get(note.line, ()), remark)
    ended = max(report.line or 0, report.top_line or 0)
    found: list[view.Data] = []
    for number, text in enumerate(source.rstrip().split("\n")[:MAX_LINES], start=1):
        parts = ({"text": text},) if text else ()
        line: view.Data = {"number": number, "parts": parts, **recorded.get(number, {})}
        if number in warnings:
            line["warnings"] = warnings[number]
        if number in remarks:
            line["remarks_html"] = remarks[number]
        if not report.ok and number == report.line:
            line |= {"mark": "failed", "answer": _error_box(report, source)}
        elif not report.ok and number > ended > 0:
            line["mark"] = "after"
        if report.fix and number == report.fix[0]:
            line["fix"] = {"text": report.fix[1], "note_html": html.escape(say("lab.tried"))}
        found.append(line)
    return tuple(found)


def has_line(source: str, number: int | None) -> bool:
    """Return whether a line is shown."""
    return number is not None and 1 <= number <= min(len(source.rstrip().split("\n")), MAX_LINES)


def is_all_printed(report: SandboxReport) -> bool:
    """Return whether the lines, in order, show everything that was printed."""
    return "".join(line.printed for line in report.lines) == report.output


def _error_box(report: SandboxReport, source: str) -> view.Data:
    title = f"<code>{html.escape(report.error_type)}</code>" if report.error_type else ""
    data: view.Data = {"tone": "refused", "title_html": title or html.escape(say("lab.stopped"))}
    if report.message:
        data["text_html"] = f"{text_to_html(report.message)}{_meaning_html(report, source)}"
    return data


def _meaning_html(report: SandboxReport, source: str) -> str:
    """Format what the error means, if it is a known one."""
    found = errors.explain(report, source)
    if found is None:
        return ""
    return f'<p class="pp-meaning">{inline_to_html(found.why.said(current_language()))}</p>'
