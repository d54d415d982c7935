"""How long something rests that has failed: longer each time, until it works again."""

import time
from collections.abc import Callable


class Rest:
    """A break before the next try.

    Args:
        least_seconds: The first one.
        most_seconds: Each further one is twice as long, up to this.
        clock: Gives the time, in seconds.
    """

    def __init__(
        self,
        least_seconds: float,
        most_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._least_seconds = least_seconds
        self._most_seconds = most_seconds
        self._clock = clock
        self._until = 0.0
        self._next_seconds = least_seconds

    @property
    def seconds_left(self) -> float:
        """Until it is over; 0 where there is none."""
        return max(0.0, self._until - self._clock())

    def begin(self) -> None:
        """It failed: begin a break."""
        self._until = self._clock() + self._next_seconds
        self._next_seconds = min(2 * self._next_seconds, self._most_seconds)

    def forget(self) -> None:
        """It works: the next break is a short one again."""
        self._next_seconds = self._least_seconds
