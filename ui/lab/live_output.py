"""The output of a program while it runs: its clock, its line, what it has printed and drawn."""

import html
import time

from streamlit.delta_generator import DeltaGenerator

from playground.sandbox.live_run import Snapshot
from ui import html_markup
from ui.lab import figures
from ui.lab.run import SandboxRun
from ui.lab.session import LabSession, RunResult
from ui.language import say
from ui.panel.view import note_text

SHOWN_AFTER_SECONDS = 0.2  # a shorter run is drawn when it is over, all at once
FRAME_SECONDS = 0.1  # between two drawings
MAX_LINES = 400
MAX_TAIL = 4_000  # characters of the output that are shown while it grows


class LiveOutput:
    """Draws a run into a place on the page, again and again until it is over.

    Args:
        lab: Its button stops the run.
        run: The run.
        place: An empty element.
    """

    def __init__(self, lab: LabSession, run: SandboxRun[RunResult], place: DeltaGenerator) -> None:
        self._lab, self._run, self._place = lab, run, place
        self._drawn_at = 0.0
        self._heading = ""
        self._version = -1
        self._figures = Snapshot().figures
        self._words: DeltaGenerator | None = None

    def draw(self) -> None:
        """Draw what is new, but not more often than a reader can follow."""
        now = time.monotonic()
        if self._run.seconds < SHOWN_AFTER_SECONDS or now - self._drawn_at < FRAME_SECONDS:
            return
        self._drawn_at = now
        words = self._words or self._begin()
        seen = Snapshot() if self._run.live is None else self._run.live.snapshot()
        heading = _heading(self._run, seen)
        if heading != self._heading:
            words.caption(heading)
            self._heading = heading
        if seen.version != self._version and (seen.output or seen.lines or seen.bars):
            self._text.html(live_html(self._run.source, seen))
        if seen.figures != self._figures:
            self._pictures.html("".join(map(figures.picture_html, seen.figures)))
        self._version, self._figures = seen.version, seen.figures

    def end(self) -> None:
        """Make room for the report."""
        self._place.empty()

    def _begin(self) -> DeltaGenerator:
        whole = self._place.container(key="lab-live")
        box = whole.container(horizontal=True, vertical_alignment="center", key="lab-waiting")
        self._words = box.empty()
        box.button(say("stream.stop"), key="lab-stop", on_click=_stop, args=(self._lab,))
        self._text, self._pictures = whole.empty(), whole.empty()
        return self._words


def _stop(lab: LabSession) -> None:
    if lab.running is not None:
        lab.running.stop()


def _heading(run: SandboxRun[RunResult], seen: Snapshot) -> str:
    if run.place:
        return say("step.waiting", place=run.place)
    words = say("step.running", seconds=int(seen.elapsed_seconds or 0))
    return words if seen.line is None else f"{words} · {say('lab.line', line=seen.line)}"


def live_html(source: str, seen: Snapshot) -> str:
    """Format bars, the end of the output, and the line that runs among those with notes."""
    notes = {line.number: ", ".join(map(note_text, line.notes)) for line in seen.lines}
    rows = []
    for number, text in enumerate(source.split("\n")[:MAX_LINES], start=1):
        if number != seen.line and not notes.get(number):
            continue
        now = ' class="tp-now" aria-current="step"' if number == seen.line else ""
        note = f"<i>{html.escape(notes[number])}</i>" if notes.get(number) else ""
        rows.append(f'<li value="{number}"{now}><code>{html.escape(text)}</code>{note}</li>')
    printed = ""
    if seen.output:
        tail = html.escape(seen.output[-MAX_TAIL:], quote=False)
        heading = html_markup.heading(say("lab.printed"))
        printed = f'{heading}<div class="tp-tail"><pre class="tp-text">\n{tail}</pre></div>'
    return f'{figures.bars_html(seen.bars)}{printed}<ol class="tp-live">{"".join(rows)}</ol>'
