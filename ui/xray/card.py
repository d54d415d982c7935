"""Where a file is looked into: the names of its widgets, its language, its word on waiting."""

from streamlit.delta_generator import DeltaGenerator

from playground import catalog
from ui.waiting import Waiting


class Card:
    """What the look into a file draws in.

    Args:
        name: In front of the keys of its widgets.
        language: Of its sentences.
        place: Where it is drawn.
    """

    def __init__(self, name: str, language: catalog.Language, place: DeltaGenerator) -> None:
        self.language = language
        self.place = place
        self._name = name
        self._waiting = Waiting()

    def key(self, field: str) -> str:
        """The key of a widget, or of what is kept in the session."""
        return f"{self._name}_{field}"

    def wait(self, place: int) -> None:
        """Say which place in the queue the look has."""
        words = "step.waiting" if place else "step.starting"
        self._waiting.tell(self.place, words, place=place)

    def stop_waiting(self) -> None:
        """Take the word about waiting away."""
        self._waiting.end()
