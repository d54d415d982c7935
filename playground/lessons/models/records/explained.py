"""What the reports of this lesson have of their own: the machine's devices, and lanes on them."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from playground import explained
from playground.machines.machine import DeviceName


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
class Explained(explained.Explained):
    """A report about things on devices.

    Attributes:
        devices: All devices of the machine.
    """

    devices: tuple[DeviceName, ...]
    is_simulated: bool

    @property
    @abstractmethod
    def lanes(self) -> tuple[Lane, ...]:
        """What the picture shows."""

    @property
    def is_drawn(self) -> bool:
        """There are lanes."""
        return bool(self.lanes)

    @property
    def pictured(self) -> Mapping[str, str]:
        """Every thing and its way, for a text that stands in for the picture."""
        ways = (f"{lane.label}: {lane.before or '—'} → {lane.after or '—'}" for lane in self.lanes)
        return {"ways": "; ".join(ways) or "—"}

    def has(self, *devices: DeviceName) -> bool:
        """Whether the machine has all these devices."""
        return set(devices) <= set(self.devices)
