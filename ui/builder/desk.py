"""What a visit remembers of one builder: every network so far, and what is selected."""

from dataclasses import dataclass, field

from playground.errors import InvalidSpecError
from playground.modules.spec.edit import Address
from playground.modules.spec.nodes import Block

MOST_STEPS = 100  # back; each is a text of some hundred characters


@dataclass(frozen=True, slots=True)
class Notice:
    """Why something was not done.

    Attributes:
        words: Which text of the builder goes before the reason; empty for the reason alone.
        error: The reason.
        values: What the text mentions.
    """

    words: str
    error: InvalidSpecError | None = None
    values: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, eq=False)
class Desk:
    """The history of a network, and where the visitor is in it.

    Attributes:
        texts: Every network so far, as JSON, the oldest first.
        place: Which of them is on the screen.
        selected: The node whose arguments are shown.
        closed: Blocks that are folded up, known by their content.
        notice: What to say about the last thing that was refused.
        fitting: A layer that was just added: what it expects may follow what it is given.
        file_id: The upload that was read last.
    """

    texts: list[str]
    place: int = 0
    selected: Address | None = None
    closed: set[Block] = field(default_factory=set)
    notice: Notice | None = None
    fitting: Address | None = None
    file_id: str = ""

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
        """Go on to another network; what was undone is forgotten.

        >>> desk = Desk(["a"])
        >>> desk.push("b"), desk.go(-1), desk.push("c"), desk.texts
        (None, None, None, ['a', 'c'])
        """
        if text == self.text:
            return
        del self.texts[self.place + 1 :]
        self.texts.append(text)
        del self.texts[:-MOST_STEPS]
        self.place = len(self.texts) - 1

    def go(self, steps: int) -> None:
        """Go back or forward in the history, as far as there is any."""
        self.place = min(max(self.place + steps, 0), len(self.texts) - 1)
