"""Values set by hand: what autograd allows, and what it does not notice."""

from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings, check_length, check_within
from playground.explained import Told
from playground.lessons.parameters.records.choices import Setting, Way
from playground.lessons.parameters.records.explained import Explained
from playground.lessons.parameters.records.networks import RGNET, read
from playground.lessons.parameters.records.views import View, told_view
from playground.modules.spec import Network

MOST_SEED = 9999
MOST_NAME = 600
MOST_WRONG = 4
MOST_RANK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValueReport(Explained):
    """A parameter before and after a line that sets values, and the gradients afterwards.

    Attributes:
        name: Of the parameter.
        lines: What was executed.
        way: How it was set.
        setting: When.
        before: Its values at first.
        after: Its values in the end.
        wrong: The parameters whose gradients are not those of the ``Y`` that was computed.
        is_set: The line itself was accepted.
    """

    name: str
    lines: tuple[str, ...]
    way: Way
    setting: Setting
    before: View | None
    after: View | None
    wrong: tuple[str, ...]
    is_set: bool

    @property
    def is_silently_wrong(self) -> bool:
        """Nothing was refused, and gradients are wrong."""
        return self.outcome.ok and bool(self.wrong)

    @property
    def actual(self) -> Outcome | str:
        """Torch's refusal, or whether the gradients are right."""
        return "wrong" if self.is_silently_wrong else self.outcome

    @property
    def answers(self) -> tuple[str, ...]:
        """What can come of it."""
        return ("works", "wrong", "RuntimeError", "other")

    @property
    def is_fixed(self) -> bool:
        """There is a line that does the same and is allowed."""
        return not self.is_set and self.way.is_plain and self.before is not None

    @property
    def is_drawn(self) -> bool:
        """There are values, and the line was accepted."""
        return self.is_set and self.before is not None

    @property
    def facts(self) -> Told:
        """The parameter, and whether its values changed."""
        return {
            "name": self.name,
            "values_changed": self.before != self.after,
            "wrong_gradients": len(self.wrong),
        }

    @property
    def mentions(self) -> Told:
        """The line, and whose gradients are wrong."""
        more = len(self.wrong) - MOST_WRONG
        named = ", ".join(self.wrong[:MOST_WRONG]) + (f", … (+{more})" if more > 0 else "")
        return {"name": self.name, "wrong": named, "line": " ".join(map(str.strip, self.lines))}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.before is None:
            return "not-there-yet"
        if not self.is_set:
            return "leaf-is-guarded"
        if not self.outcome.ok:
            return "version-differs" if "modified by an inplace" in self.outcome.message else "late"
        if self.wrong:
            return "silently-wrong"
        if self.setting is Setting.BETWEEN:
            return "not-needed-again"
        return "set-without-grad" if self.way is Way.NO_GRAD else "set-by-data"

    @property
    def pictured(self) -> Told:
        """The values before and after."""
        return {"before": told_view(self.before), "after": told_view(self.after)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue(Settings[SetValueReport]):
    """Set values of one parameter by hand.

    Args:
        network: As JSON.
        path: The parameter's name.
        rank: How many indices the line writes; as many as the parameter has, two at most.
        way: How.
        setting: Before the forward pass, or between forward and backward.
        seed: Of torch's generator.
    """

    network: str = RGNET.to_json()
    path: str = "0.block 1.0.weight"
    rank: int = 2
    way: Way = Way.ITEM
    setting: Setting = Setting.FRESH
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        read(self.network)
        check_length("path", self.path, most=MOST_NAME)
        check_within("rank", self.rank, least=0, most=MOST_RANK)
        check_within("seed", self.seed, least=0, most=MOST_SEED)

    @property
    def spec(self) -> Network:
        """The network as data."""
        return read(self.network)

    @property
    def lines(self) -> tuple[str, ...]:
        """What sets the value, as a program writes it."""
        return self.way.lines(self.path.rpartition(".")[2], self.rank)
