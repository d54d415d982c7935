"""The history of the edits of a network in one visit."""

from dataclasses import dataclass, field

from playground.errors import InvalidSpecError
from playground.modules.spec.edit import Address
from playground.modules.spec.nodes import Block

MAX_STEPS = 100  # back; each is a text of some hundred characters


@dataclass(frozen=True, slots=True)
class Notice:
    """The reason why an edit was refused.

    Attributes:
        words: The id of a text of the builder that precedes the reason, or empty.
        error: The reason.
        values: For the text's placeholders.
    """

    words: str
    error: InvalidSpecError | None = None
    values: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, eq=False)
class EditHistory:
    """Every network so far, the visitor's position among them, and the selection.

    Attributes:
        texts: Every network so far, as JSON, the oldest first.
        place: The index of the current one.
        selected: The node whose arguments are shown.
        closed: Folded blocks, identified by their content.
        notice: Why the last edit was refused.
        fitting: A layer that was just added, whose arguments may be fitted to its input.
        file_id: The upload that was read last.
        searches: How many layers were added by a search; each search has a field of its own.
    """

    texts: list[str]
    place: int = 0
    selected: Address | None = None
    closed: set[Block] = field(default_factory=set)
    notice: Notice | None = None
    fitting: Address | None = None
    file_id: str = ""
    searches: int = 0

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
