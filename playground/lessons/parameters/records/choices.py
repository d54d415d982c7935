"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from enum import StrEnum, unique


@unique
class Moment(StrEnum):
    """When a gradient is looked at."""

    BEFORE = "before"
    BACKWARD = "backward"
    TWICE = "twice"
    ZEROED = "zeroed"

    @property
    def lines(self) -> tuple[str, ...]:
        """What a program does before it looks; ``{call}`` stands for a call of the network."""
        backward = "Y.sum().backward()"
        return {
            Moment.BEFORE: (),
            Moment.BACKWARD: (backward,),
            Moment.TWICE: (backward, "{call}.sum().backward()"),
            Moment.ZEROED: (backward, "{net}.zero_grad()"),
        }[self]


@unique
class Keeping(StrEnum):
    """How a tensor is given to a network that is there already."""

    SAVED = "saved"
    UNSAVED = "unsaved"
    ATTRIBUTE = "attribute"

    def line(self, net: str) -> str:
        """As a program writes it."""
        return {
            Keeping.SAVED: f'{net}.register_buffer("note", torch.ones(3))',
            Keeping.UNSAVED: f'{net}.register_buffer("note", torch.ones(3), persistent=False)',
            Keeping.ATTRIBUTE: f"{net}.note = torch.ones(3)",
        }[self]


@unique
class Given(StrEnum):
    """Which parameters an optimizer is given."""

    ALL = "all"
    TRAINABLE = "trainable"

    def written(self, net: str) -> str:
        """As a program writes it."""
        if self is Given.ALL:
            return f"{net}.parameters()"
        return f"[p for p in {net}.parameters() if p.requires_grad]"


@unique
class Freezing(StrEnum):
    """When parameters are frozen."""

    BEFORE = "before_backward"
    AFTER = "after_backward"


@unique
class Way(StrEnum):
    """How values are set."""

    ITEM = "item"
    ADD = "add"
    DATA_ADD = "data_add"
    DATA_ITEM = "data_item"
    NO_GRAD = "no_grad"

    @property
    def is_plain(self) -> bool:
        """On the parameter itself, with autograd looking on."""
        return self in {Way.ITEM, Way.ADD}

    def lines(self, name: str, rank: int) -> tuple[str, ...]:
        """As a program writes it.

        Args:
            name: Of the variable that holds the parameter.
            rank: How many indices a single value has.
        """
        place = f"[{', '.join(['0'] * rank)}]" if rank else "[()]"
        return {
            Way.ITEM: (f"{name}{place} = 42",),
            Way.ADD: (f"{name} += 1",),
            Way.DATA_ADD: (f"{name}.data[:] += 1",),
            Way.DATA_ITEM: (f"{name}.data{place} = 42",),
            Way.NO_GRAD: ("with torch.no_grad():", f"    {name}{place} = 42"),
        }[self]


@unique
class Setting(StrEnum):
    """When values are set."""

    FRESH = "fresh"
    BETWEEN = "between"
