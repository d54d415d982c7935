"""What is wrong with the lessons' files, in words for the person who writes them."""

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
        """Tell every fault on its own line."""
        return "\n".join(self.faults)


class Faults:
    """Gathers faults while files are read, so that all are told at once.

    Args:
        is_thorough: Look for all: import every step, and compare the languages. Otherwise for
            those only that reading itself meets.
    """

    def __init__(self, *, is_thorough: bool = True) -> None:
        self.is_thorough = is_thorough
        self._found: list[str] = []

    def add(self, place: str, sentence: str) -> None:
        """Note one fault.

        Args:
            place: File, and the id inside it, e.g. ``"lessons/buffers/lesson.toml"``.
            sentence: What is wrong there, e.g. ``"minutes is absent"``.
        """
        fault = f"{place}: {sentence}"
        if fault not in self._found:
            self._found.append(fault)

    def __len__(self) -> int:
        """How many were found so far."""
        return len(self._found)

    def raise_any(self) -> None:
        """Raise everything that was noted.

        Raises:
            CatalogError: At least one fault was noted.
        """
        if self._found:
            raise CatalogError("catalog", faults=tuple(self._found))
