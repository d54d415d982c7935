"""What all reports share: torch's answer, the facts, the reason, the picture, the prediction."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.machines.machine import DeviceName

Cell = str | int | bool | None
Table = tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]  # label ids, rows
Told = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One thing in the picture of the devices, and where it went.

    Attributes:
        label: Its name in the program.
        before: Where it was; None if it was not there yet.
        after: Where it is; None if it is not there any more.
        is_trouble: It is where it does not belong.
    """

    label: str
    before: DeviceName | None
    after: DeviceName | None
    is_trouble: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(ABC):
    """A report that can explain itself.

    Attributes:
        devices: All devices of the machine.
    """

    outcome: Outcome
    devices: tuple[DeviceName, ...]
    is_simulated: bool

    @property
    @abstractmethod
    def told(self) -> Told:
        """What may be told, by label id; None where there is nothing."""

    @property
    @abstractmethod
    def why(self) -> str:
        """The id of the explanation that fits."""

    @property
    @abstractmethod
    def lanes(self) -> tuple[Lane, ...]:
        """What the picture shows."""

    @property
    def facts(self) -> Told:
        """The facts that there are."""
        return {name: value for name, value in self.told.items() if value is not None}

    @property
    def mentions(self) -> Told:
        """What the explanation may mention."""
        return self.told

    @property
    def actual(self) -> Outcome | str | bool | int:
        """What the prediction was about."""
        return self.outcome

    @property
    def answers(self) -> tuple[str, ...] | None:
        """The answers to choose from, where they depend on the settings."""
        return None

    @property
    def printed(self) -> str:
        """What the program printed."""
        return ""

    @property
    def is_fixed(self) -> bool:
        """A changed line was run and mended it."""
        return False

    @property
    def is_drawn(self) -> bool:
        """There is something to draw."""
        return bool(self.lanes)

    def tables(self, words: Mapping[str, str]) -> tuple[Table, ...]:
        """The tables of the step.

        Args:
            words: The lesson's labels.
        """
        del words
        return ()

    @property
    def pictured(self) -> Mapping[str, str]:
        """Every thing and its way, for a text that stands in for the picture."""
        ways = (f"{lane.label}: {lane.before or '—'} → {lane.after or '—'}" for lane in self.lanes)
        return {"ways": "; ".join(ways) or "—"}

    def has(self, *devices: DeviceName) -> bool:
        """Whether the machine has all these devices."""
        return set(devices) <= set(self.devices)
