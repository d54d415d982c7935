"""The word on a step's answer side while an experiment waits or takes its time."""

from typing import TYPE_CHECKING

from ui.words import say

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

PATIENCE_SECONDS = 0.5


class Waiting:
    """A place below what is shown; it takes no room until something is told."""

    def __init__(self) -> None:
        self._place: DeltaGenerator | None = None

    def tell(self, right: "DeltaGenerator | None", words: str, **values: object) -> None:
        """Say why there is no answer yet."""
        if right is None:
            return
        if self._place is None:
            self._place = right.empty()
        self._place.caption(say(words, **values))

    def end(self) -> None:
        """Take the word away."""
        if self._place is not None:
            self._place.empty()
            self._place = None
