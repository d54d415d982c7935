"""What is done with a lazy network before its first batch, and what comes of it."""

from dataclasses import dataclass

from playground.compute.settings import Settings
from playground.explained import Quiet, Told
from playground.lessons.lazy_layers.records.answers import OWN, Answer, answers_in_full
from playground.lessons.lazy_layers.records.choices import Action
from playground.modules.spec import Network
from playground.modules.spec.lazy import postponed

WORK = {  # on the lesson's own network
    Action.NAMES,
    Action.FREEZE_EACH,
    Action.DOUBLE,
    Action.DEEPCOPY,
    Action.STATE_DICT,
    Action.FROM_EAGER,
    Action.SGD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One action, each time on a network of its own."""

    action: Action
    before: Answer
    after: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class TryTooEarlyReport(Quiet):
    """What can be done before the first batch, and what after it.

    Attributes:
        tried: All actions, in the order of ``Action``; empty where nothing in the network waits.
        layer: Where the first lazy layer stands.
    """

    action: Action
    tried: tuple[Tried, ...]
    layer: str

    @property
    def chosen(self) -> Tried | None:
        """The action that was asked for."""
        return next((each for each in self.tried if each.action is self.action), None)

    @property
    def printed(self) -> str:
        """What the action gave."""
        return self.chosen.before.text if self.chosen else ""

    @property
    def works_after(self) -> bool:
        """It is only too early."""
        return self.chosen is not None and self.chosen.after.outcome.ok

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "after_batch": self.chosen.after.short if self.chosen else None,
            "refused": sum(not each.before.outcome.ok for each in self.tried),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.tried:
            return "nothing-is-lazy"
        if self.outcome.ok != (self.action in WORK):
            return "early-copies-no-buffer" if self.action is Action.DEEPCOPY else "early-other"
        return f"early-{self.action}".replace("_", "-")

    @property
    def is_drawn(self) -> bool:
        """There was something to try."""
        return bool(self.tried)

    @property
    def in_full(self) -> str:
        """All errors but the one that is shown already."""
        others = {
            each.action.short: each.before for each in self.tried if each.action is not self.action
        }
        return answers_in_full(others)

    @property
    def pictured(self) -> Told:
        """The actions that work and those that do not."""
        works = [each.action.short for each in self.tried if each.before.outcome.ok]
        fails = [each.action.short for each in self.tried if not each.before.outcome.ok]
        return {"works": ", ".join(works) or "—", "fails": ", ".join(fails) or "—"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TryTooEarly(Settings[TryTooEarlyReport]):
    """Do something with a lazy network before its first batch.

    Args:
        network: As JSON, with its sizes; its layers that can be lazy are made so.
    """

    network: str = OWN
    action: Action = Action.COUNT

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        self.check_types()
        Network.from_json(self.network)

    @property
    def eager(self) -> Network:
        """The network with its sizes."""
        return Network.from_json(self.network)

    @property
    def lazy(self) -> Network:
        """The network, made lazy."""
        return postponed(self.eager)
