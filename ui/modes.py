"""What a step is being run for, and how it says that it cannot go on yet."""

from enum import Enum, auto


class AnswerFirstError(Exception):
    """The student has not said what to expect, so nothing needs to run yet."""


class Mode(Enum):
    """What a step is being run for."""

    DRAWING = auto()
    REPLAYING = auto()
    COLLECTING = auto()
