"""Sends what a program has done so far, while it runs: a few times a second, only what is new."""

from playground.sandbox import schema
from playground.sandbox.jail.live import CHANNEL
from playground.sandbox.live import BARS, LivePart
from playground.sandbox.picture import Caption
from playground.steps.line_recorder import Line, Recorder


class LiveState:
    """The state of one program.

    Args:
        recorder: Records what its lines made and printed.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._sent: dict[int, Line] = {}
        self._told: LivePart | None = None

    def report(self) -> None:
        """Send what has changed since the last report; called by the timer."""
        lines = []
        for line in self._recorder.lines():
            before = self._sent.get(line.number, Line(line.number))
            if line.notes != before.notes or line.printed != before.printed:
                lines.append(Line(line.number, line.notes, line.printed[len(before.printed) :]))
                self._sent[line.number] = line
        part = LivePart(line=self._recorder.line(), lines=tuple(lines), bars=BARS.shown())
        if part != self._told and CHANNEL.send({"run": schema.write(part)}):
            self._told = part


def send_picture(png: bytes, caption: Caption) -> None:
    """Send a figure as soon as the program shows it."""
    CHANNEL.send({"picture": schema.write(caption)}, png)
