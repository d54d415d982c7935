"""Numbers of repetitions of the benchmarks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A number of sessions that click for a while.

    Args:
        sessions: Open at the same time.
        seconds: How long, once the last one is there.
        think_seconds: Between two clicks of a session, from and to.
    """

    sessions: int
    seconds: float
    think_seconds: tuple[float, float] = (5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Repetitions of each benchmark.

    Args:
        starts: Of each server, in the cold start.
        rounds: Over all pages.
        lessons: Which are visited, by name.
        opened: How many are opened to see what the process holds afterwards.
        steps: How many of a lesson are used.
        levels: Of load.
    """

    starts: int
    rounds: int
    lessons: tuple[str, ...]
    opened: int = 99
    steps: int = 99
    levels: tuple[Level, ...]


CHOICE = {
    "devices": "texts",
    "tensors": "pictures of devices",
    "blocks": "pictures of networks",
    "training": "live runs",
}  # the lessons that differ most, and by what; more of them would tell little more
CHOSEN = "Of the lessons those that differ most are visited: " + (
    ", ".join(f"{name} ({what})" for name, what in CHOICE.items()) + "."
)
FULL = Plan(
    starts=4,
    rounds=6,
    lessons=tuple(CHOICE),
    levels=(Level(1, 10, (0.5, 1.0)), Level(50, 10), Level(150, 30)),
)
QUICK = Plan(
    starts=1,
    rounds=1,
    lessons=("devices",),
    opened=1,
    steps=1,
    levels=(Level(1, 2, (0.5, 1.0)), Level(5, 2, (0.5, 1.0))),
)
