"""The state of one step in a visit: its settings, predictions and round, and what changes them."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from playground import catalog
from playground.errors import InvalidSettingError
from playground.machines import Machine
from playground.steps import Step
from ui import machine_picker, step_run
from ui.lab.session import LabSession
from ui.panel import controls, view
from ui.panel.component import Event

ROUND = "round"  # in the URL


@dataclass(slots=True)
class StepState:
    """The state of a step in a visit.

    Attributes:
        step: The settings.
        said: The prediction for each settings that were run; ``view.SKIPPED`` without one.
        round: From 1, which has the step's default settings.
        runs: The runs of a watched step.
        lab: The visitor's own version of the program; None before it was first edited.
        is_edited: That version replaces the step's program.
        is_recalled: Earlier visits were searched for a prediction.
        shown: The settings and the data of the last two answers.
    """

    step: Step
    said: dict[Step, str] = field(default_factory=dict)
    round: int = 1
    runs: step_run.StreamState = field(default_factory=step_run.StreamState)
    lab: LabSession | None = None
    is_edited: bool = False
    is_recalled: bool = False
    shown: deque[tuple[Step, Any]] = field(default_factory=lambda: deque(maxlen=2))

    def note_shown(self, data: Any) -> None:
        """Note the data of the answer that is shown."""
        if not self.shown or self.shown[-1][0] != self.step:
            self.shown.append((self.step, data))


def on_machine(step: Step, machine: Machine) -> Step:
    """Return the settings on a machine; if it lacks a device, the default settings."""
    if not hasattr(step, "machine") or step.machine == machine:
        return step
    try:
        return step.replaced(machine=machine)
    except InvalidSettingError:
        pass
    try:
        return type(step).of({}, machine=machine)
    except InvalidSettingError:  # not even those: every device becomes the CPU
        names = [each for each, value in vars(step).items() if str(value).startswith("cuda")]
        return type(step).of(dict.fromkeys(names, "cpu"), machine=machine)


def change_step(state: StepState, words: catalog.Step, event: Event) -> None:
    """Change the state of a step by one event.

    Raises:
        InvalidSettingError: A control sent a value that is not allowed.
    """
    match event:
        case {"type": "change", "field": str(name), "value": str(value)}:
            state.step = controls.changed(state.step, name, value)
        case {"type": "answer", "id": str(answer)}:
            state.said[state.step] = answer
        case {"type": "unedit"}:
            state.is_edited = False
        case {"type": "run"}:
            state.said[state.step] = view.SKIPPED
        case {"type": "again"}:
            state.said.pop(state.step, None)
        case {"type": "apply"}:
            state.step = controls.fixed(state.step)
            state.said[state.step] = view.SKIPPED
        case {"type": "reset"}:
            begin_round(state, (), 1)
        case {"type": "round", "number": int(number)}:
            begin_round(state, words.words.rounds, number)


def begin_round(state: StepState, rounds: tuple[catalog.Round, ...], number: int) -> None:
    """Set the settings of a round, and ask its question again."""
    open_round(state, rounds, number)
    state.said.pop(state.step, None)


def open_round(state: StepState, rounds: tuple[catalog.Round, ...], number: int) -> None:
    """Set the settings of a round."""
    state.round = min(max(number, 1), len(rounds) + 1)
    given = rounds[state.round - 2].settings if state.round > 1 else {}
    state.step = on_machine(type(state.step).of(given), machine_picker.current())


def round_address(step: Step, rounds: tuple[catalog.Round, ...], number: int) -> dict[str, str]:
    """Return the URL parameters of a round, and of what differs from its settings."""
    if number == 1:
        return controls.ids(step)
    return {ROUND: str(number)} | controls.ids(step, type(step).of(rounds[number - 2].settings))
