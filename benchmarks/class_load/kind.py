"""What a student does, and how often."""

import random
from enum import StrEnum, unique


@unique
class Kind(StrEnum):
    """One thing that a student does; the words are those of the table."""

    DOOR = "door: the class code"
    ARRIVAL = "first page of a student"
    CACHED = "click in a lesson, answer known"
    FRESH = "click in a lesson, new settings"
    LIVE = "run that is watched live"
    SWITCH = "another page"
    LAB = "run in the lab"
    UPLOAD = "file into the X-ray"


MIX = {
    Kind.CACHED: 0.70,
    Kind.FRESH: 0.10,  # a run that is watched, where the page offers one
    Kind.SWITCH: 0.10,
    Kind.LAB: 0.06,
    Kind.UPLOAD: 0.04,
}


def draw(chance: random.Random) -> Kind:
    """What a student feels like doing next."""
    return chance.choices(list(MIX), list(MIX.values()))[0]
