"""What an action leaves of a tie, for each of the three ways to tie."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique

from playground.compute.outcome import Outcome
from playground.compute.settings import Settings
from playground.explained import Table, Told
from playground.lessons.tied_parameters.records.explained import Explained
from playground.machines.machine import DeviceName, Machine


@unique
class TiedBy(StrEnum):
    """How two layers came to have one weight."""

    MODULE = "module"
    PARAMETER = "parameter"
    STORAGE = "storage"


@unique
class Action(StrEnum):
    """What is done with the tied network."""

    TO_DTYPE = "to_dtype"
    HALF = "half"
    TO_DEVICE = "to_device"
    DEEPCOPY = "deepcopy"
    SAVE_LOAD = "save_load"
    LOAD_ASSIGN = "load_assign"
    ASSIGN_COPIES = "assign_copies"
    LOAD_AFTER_ASSIGN = "load_after_assign"
    TO_META = "to_meta"
    TO_EMPTY = "to_empty"
    META_TO_EMPTY = "meta_to_empty"
    STEP = "step"


@unique
class Tie(StrEnum):
    """What two names have in common."""

    ONE_OBJECT = "one_object"
    ONE_STORAGE = "one_storage"
    APART = "apart"


SWAPPED = ("same-object-swapped", "each-copied-for-itself")
REPLACED = ("parameter-replaced", "each-replaced")
WHYS: Mapping[Action, tuple[str, str]] = {  # tied by Parameter, tied by storage
    Action.TO_DTYPE: SWAPPED,
    Action.HALF: SWAPPED,
    Action.TO_DEVICE: SWAPPED,
    Action.TO_EMPTY: SWAPPED,
    Action.DEEPCOPY: ("memo-knows-objects", "memo-knows-no-storage"),
    Action.SAVE_LOAD: ("values-copied-in", "values-copied-in"),
    Action.LOAD_ASSIGN: ("assigned-from-one-storage", "storage-from-the-file"),
    Action.ASSIGN_COPIES: ("assigned-copies", "assigned-copies"),
    Action.LOAD_AFTER_ASSIGN: ("flag-sticks", "flag-sticks"),
    Action.TO_META: REPLACED,
    Action.META_TO_EMPTY: REPLACED,
    Action.STEP: ("stepped-in-place", "stepped-twice-in-place"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One action on a network that was tied in one way.

    Attributes:
        before, after: What ``net[0].weight`` and ``net[2].weight`` have in common.
        parameters_before, parameters_after: How many tensors ``net.parameters()`` gives.
        follows: A number written through one name is read under the other; None without values.
        device, dtype: Of ``net[0].weight`` afterwards.
    """

    action: Action
    tied_by: TiedBy
    outcome: Outcome
    before: Tie
    after: Tie
    parameters_before: int
    parameters_after: int
    follows: bool | None
    device: DeviceName
    dtype: str

    @property
    def still_tied(self) -> bool | None:
        """The two have in common what they had before; None where torch refused the action."""
        return self.after is self.before if self.outcome.ok else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TieReplayReport(Explained):
    """Every action on a network tied in every way, each really done."""

    action: Action
    tied_by: TiedBy
    device: DeviceName
    every: tuple[Replayed, ...]

    def at(self, action: Action, tied_by: TiedBy) -> Replayed:
        """One of them."""
        return next(each for each in self.every if (each.action, each.tied_by) == (action, tied_by))

    @property
    def chosen(self) -> Replayed:
        """The one that was asked for."""
        return self.at(self.action, self.tied_by)

    @property
    def still_tied(self) -> bool | None:
        """Whether the tie that was asked for is as it was; None where torch refused."""
        return self.chosen.still_tied

    @property
    def after(self) -> Tie:
        """What the two names have in common afterwards."""
        return self.chosen.after

    @property
    def parameters_after(self) -> int:
        """How many tensors ``net.parameters()`` gives afterwards."""
        return self.chosen.parameters_after

    @property
    def actual(self) -> str:
        """What the two names have in common afterwards, or torch's refusal."""
        return self.after if self.outcome.ok else self.outcome.error_type

    @property
    def is_drawn(self) -> bool:
        """All other actions are there in any case."""
        return True

    @property
    def told(self) -> Told:
        """The facts of the step."""
        chosen = self.chosen
        return {
            "still_tied": chosen.still_tied,
            "follows": chosen.follows,
            "parameters_before": chosen.parameters_before,
            "parameters_after": chosen.parameters_after,
            "weight_device": chosen.device,
            "dtype": chosen.dtype,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and how many of all ties are kept."""
        kept = sum(bool(each.still_tied) for each in self.every)
        return {**self.told, "device": self.device, "kept": kept, "count": len(self.every)}

    @property
    def pictured(self) -> Told:
        """Which actions break which tie."""
        broken = (f"{each.action} ({each.tied_by})" for each in self.every if not each.still_tied)
        return {**self.mentions, "broken": ", ".join(broken)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.tied_by is TiedBy.MODULE:
            return "module-keeps"
        if self.action is Action.TO_DEVICE and self.device == "cpu":
            return "nowhere-to-go"
        by_parameter, by_storage = WHYS[self.action]
        return by_parameter if self.tied_by is TiedBy.PARAMETER else by_storage

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The two names before and after."""
        chosen = self.chosen
        row = (words[f"tie_{chosen.before}"], words[f"tie_{chosen.after}"])
        return ((("before", "after"), (row,)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class TieReplay(Settings[TieReplayReport]):
    """Do something with a network whose two layers have one weight, and look at the tie."""

    machine: Machine = Machine()
    action: Action = Action.TO_DTYPE
    tied_by: TiedBy = TiedBy.PARAMETER
    device: DeviceName = "cuda:0"
