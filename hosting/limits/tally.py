"""Counts what is there at the moment, in all and by name; forgets names that have nothing."""

from collections import Counter


class Tally:
    """A counter that only its own event loop touches.

    >>> tally = Tally()
    >>> tally.add("a"); tally.add("a"); tally.drop("a")
    >>> tally.total, tally.of("a"), tally.of("b")
    (1, 1, 0)
    """

    def __init__(self) -> None:
        self.total = 0
        self._by_name: Counter[str] = Counter()

    def of(self, name: str) -> int:
        """How many there are of a name."""
        return self._by_name.get(name, 0)

    def add(self, name: str, amount: int = 1) -> None:
        """Count more."""
        self._by_name[name] += amount
        self.total += amount

    def drop(self, name: str, amount: int = 1) -> None:
        """Count less."""
        self.total -= amount
        self._by_name[name] -= amount
        if not self._by_name[name]:
            del self._by_name[name]
