"""How a caller hears of its experiment: the place in the queue, then the seconds it has run."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Two functions of the caller, both called from its own thread; what they raise stops the work.

    Attributes:
        on_wait: Is told the place in the queue, 1 is next.
        on_run: Is told for how many seconds the experiment has run.
    """

    on_wait: Callable[[int], None] | None = None
    on_run: Callable[[float], None] | None = None

    def waits(self, place: int) -> None:
        """Tell the place in the queue."""
        if self.on_wait is not None:
            self.on_wait(place)

    def runs(self, seconds: float) -> None:
        """Tell for how long it has run."""
        if self.on_run is not None:
            self.on_run(seconds)


SILENT = Progress()
