"""How a caller hears of its experiment: the place in the queue, the seconds, what it tells."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Functions of the caller, all called from its own thread; what they raise stops the work.

    Attributes:
        on_wait: Is told the place in the queue: 1 is next, 0 while no worker has started.
        on_run: Is told for how many seconds the experiment has run.
        on_tell: Is given the pickled records that the experiment tells; where it is there, the
            experiment tells.
    """

    on_wait: Callable[[int], None] | None = None
    on_run: Callable[[float], None] | None = None
    on_tell: Callable[[bytes], None] | None = None

    def waits(self, place: int) -> None:
        """Tell the place in the queue."""
        if self.on_wait is not None:
            self.on_wait(place)

    def runs(self, seconds: float) -> None:
        """Tell for how long it has run."""
        if self.on_run is not None:
            self.on_run(seconds)

    def tells(self, told: bytes) -> None:
        """Pass on what the experiment told."""
        if self.on_tell is not None:
            self.on_tell(told)


SILENT = Progress()
