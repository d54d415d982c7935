"""The actions of a student, and how often each is taken."""

import random
from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Action(StrEnum):
    """An action; the values are the words of the table."""

    DOOR = "door: the class code"
    ARRIVAL = "first page of a student"
    CACHED = "click in a lesson, answer known"
    FRESH = "click in a lesson, new settings"
    SWITCH = "another page"
    LAB = "run in the lab"
    UPLOAD = "file into the X-ray"
    VOTE = "answer in a vote"


MIX = {
    Action.CACHED: 0.70,
    Action.FRESH: 0.10,
    Action.SWITCH: 0.10,
    Action.LAB: 0.06,
    Action.UPLOAD: 0.04,
}


@dataclass(frozen=True, slots=True)
class TimedAction:
    """An action that a student took.

    Args:
        kind: The action.
        at: When its answer arrived, by ``time.perf_counter``.
        milliseconds: From the click until the answer.
        errors: What failed.
    """

    kind: Action
    at: float
    milliseconds: float
    errors: tuple[str, ...] = ()


def draw(chance: random.Random) -> Action:
    """Draw the next action."""
    return chance.choices(list(MIX), list(MIX.values()))[0]
