"""The faults of lesson files, in words for their author."""

from playground.errors import PlaygroundError


class CatalogError(PlaygroundError):
    """Lesson files are incomplete or wrong; ``faults`` lists everything that was found.

    >>> print(CatalogError("catalog", faults=("lessons/buffers/lesson.toml: minutes is absent",)))
    lessons/buffers/lesson.toml: minutes is absent
    """

    @property
    def faults(self) -> tuple[str, ...]:
        """One sentence per fault, each naming the file and the id."""
        found = self.values["faults"]
        return tuple(map(str, found)) if isinstance(found, tuple | list) else (str(found),)

    def __str__(self) -> str:
        return "\n".join(self.faults)


class Faults:
    """A collector of faults, so that all files are read before any fault is raised.

    Args:
        is_thorough: Import every step and compare the languages too. Otherwise only faults
            found while reading are recorded.
    """

    def __init__(self, *, is_thorough: bool = True) -> None:
        self.is_thorough = is_thorough
        self._found: list[str] = []

    def add(self, place: str, sentence: str) -> None:
        """Record a fault once.

        Args:
            place: File, and the id inside it, e.g. ``"lessons/buffers/lesson.toml"``.
            sentence: A description of the fault, e.g. ``"minutes is absent"``.
        """
        fault = f"{place}: {sentence}"
        if fault not in self._found:
            self._found.append(fault)

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """Raise all recorded faults as one error.

        Raises:
            CatalogError: At least one fault was recorded.
        """
        if self._found:
            raise CatalogError("catalog", faults=tuple(self._found))
