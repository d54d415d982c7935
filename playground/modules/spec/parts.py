"""What nodes of every kind are made of, and the one that is only a name: an earlier node again."""

from dataclasses import dataclass
from enum import StrEnum

from playground.errors import InvalidSpecError
from playground.modules.spec import names

MOST_DEPTH = 12  # blocks within blocks
MOST_TIMES = 64
MOST_SHOWN = 40  # characters of a wrong name that a refusal repeats


class BlockKind(StrEnum):
    """What a block does with its children.

    SEQUENTIAL: one after the other. RESIDUAL: the same, and the input is added to what comes out.
    CONCATENATE: each is given the input, and what comes out is joined along dim 1.
    """

    SEQUENTIAL = "sequential"
    RESIDUAL = "residual"
    CONCATENATE = "concatenate"


@dataclass(frozen=True, slots=True)
class Shared:
    """An earlier node once more: the same module, with the same parameters.

    Args:
        of: The path of that node from the root, as torch writes it: ``"0"``, ``"encoder.hidden"``.
        name: What it is called in its block; without one, its number.
    """

    of: str
    name: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no path."""
        if not isinstance(self.of, str) or len(self.of) > (names.MOST_CHARACTERS + 1) * MOST_DEPTH:
            raise InvalidSpecError("spec_not_network")
        for part in self.of.split("."):
            if not names.is_child(part):
                raise InvalidSpecError("spec_unknown_shared", of=self.of)
        if self.name is not None:
            names.check_child(self.name, type="Shared")

    @property
    def times(self) -> int:
        """It stands once."""
        return 1

    @property
    def depth(self) -> int:
        """How many blocks stand within one another here: none."""
        return 0

    @property
    def count(self) -> int:
        """How many nodes stand here."""
        return 1

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {"shared": self.of} | plain_name_and_times(self.name)


def kind_of(kind: str) -> BlockKind:
    """The kind of a block.

    Raises:
        InvalidSpecError: There is no such kind.
    """
    try:
        return BlockKind(kind)
    except ValueError:
        raise InvalidSpecError("spec_unknown_layer", type=str(kind)[:MOST_SHOWN]) from None


def allow(told: dict[str, object], *fields: str, type: str) -> None:
    """Refuse fields that a node of this type does not have.

    Raises:
        InvalidSpecError: There is one.
    """
    for field in told:
        if field not in fields:
            raise InvalidSpecError("spec_field", type=type[:MOST_SHOWN], field=field[:MOST_SHOWN])


def check_name_and_times(name: object, times: object, *, type: str) -> None:
    """Refuse what cannot be the name of a node, or how often it stands.

    Raises:
        InvalidSpecError: One of them cannot.
    """
    if name is not None:
        names.check_child(name, type=type)
    if not isinstance(times, int) or isinstance(times, bool) or not 1 <= times <= MOST_TIMES:
        raise InvalidSpecError("spec_times", type=type, argument="times", most=MOST_TIMES)


def plain_name_and_times(name: str | None, times: int = 1) -> dict[str, object]:
    """As JSON has them: only what says something."""
    told: dict[str, object] = {} if name is None else {"name": name}
    return told | ({} if times == 1 else {"times": times})
