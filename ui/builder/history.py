"""The history of the edits of a network in one visit."""

from dataclasses import dataclass

MAX_STEPS = 100  # back; each is a text of some hundred characters


@dataclass(slots=True, eq=False)
class EditHistory:
    """Every network so far, and the visitor's position among them.

    Attributes:
        texts: Every network so far, as JSON, the oldest first.
        place: The index of the current one.
    """

    texts: list[str]
    place: int = 0

    @property
    def text(self) -> str:
        """The network on the screen."""
        return self.texts[self.place]

    @property
    def can_undo(self) -> bool:
        """There is an earlier one."""
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        """There is a later one."""
        return self.place < len(self.texts) - 1

    def push(self, text: str) -> None:
        """Add a network; networks that were undone are dropped.

        >>> history = EditHistory(["a"])
        >>> history.push("b"), history.go(-1), history.push("c"), history.texts
        (None, None, None, ['a', 'c'])
        """
        if text == self.text:
            return
        del self.texts[self.place + 1 :]
        self.texts.append(text)
        del self.texts[:-MAX_STEPS]
        self.place = len(self.texts) - 1

    def go(self, steps: int) -> None:
        """Go forward in the history, or back with a negative number of steps."""
        self.place = min(max(self.place + steps, 0), len(self.texts) - 1)
