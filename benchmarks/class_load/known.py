"""Which settings somebody in the class has used a short while ago, so that their answer is kept.

Compared by what is on the screen: the values of all controls of a step.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator

from benchmarks.class_load.step_click import StepClick

MOST = 300  # far fewer than the reports that the server keeps: what is known is really there


class Known:
    """Remembers the newest situations of the class.

    >>> known = Known()
    >>> known.add("a"), "a" in known, "b" in known
    (None, True, False)
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._situations: OrderedDict[Hashable, None] = OrderedDict()

    def __contains__(self, situation: Hashable) -> bool:
        """Whether somebody was there."""
        return situation in self._situations

    def add(self, situation: Hashable) -> None:
        """Note that somebody is there."""
        self._situations[situation] = None
        self._situations.move_to_end(situation)
        while len(self._situations) > self._most:
            self._situations.popitem(last=False)

    def among(self, clicks: list[StepClick]) -> Iterator[StepClick]:
        """The clicks that lead where somebody was."""
        return (click for click in clicks if click.situation in self)
