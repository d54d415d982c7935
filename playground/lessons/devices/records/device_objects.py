"""What the experiments answer that make and compare device objects; plain data."""

from collections.abc import Mapping
from dataclasses import dataclass

from playground.compute.outcome import Outcome
from playground.lessons.devices.records.explained import Explained, Fact, Told
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class UseDeviceReport(Explained):
    """A device object, and what became of a tensor made with it.

    Attributes:
        made: Whether ``torch.device(text)`` could be made.
        used: Whether a tensor could be made on it.
        type: ``.type`` of the object, ``index`` its ``.index``.
        lands_on: ``.device`` of the tensor.
    """

    made: Outcome
    used: Outcome
    type: str | None = None
    index: int | None = None
    lands_on: DeviceName | None = None

    @property
    def actual(self) -> str:
        """Which line refuses: ``"neither"``, ``"first-line"`` or ``"second-line"``."""
        if not self.made.ok:
            return "first-line"
        return "neither" if self.used.ok else "second-line"

    @property
    def said(self) -> Outcome:
        """Torch's answer to the line that refused, or to both."""
        return self.used if self.made.ok else self.made

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What the object and the tensor say, by label."""
        index = str(self.index) if self.made.ok else None  # an object without one says None itself
        return {"device-type": self.type, "device-index": index, "lands-on": self.lands_on}

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if self.actual != "neither":
            return f"device-{self.actual}"
        return "device-resolved" if self.index is None and self.type != "cpu" else "device-works"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"lands_on": self.lands_on, "index": self.index}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareDevicesReport(Explained):
    """Whether two device objects are equal, and where each puts a tensor."""

    is_equal: bool
    left_lands_on: DeviceName | None
    right_lands_on: DeviceName | None

    @property
    def actual(self) -> bool:
        """Whether they are equal."""
        return self.is_equal

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Where each puts a tensor, by label."""
        return {"left-lands-on": self.left_lands_on, "right-lands-on": self.right_lands_on}

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if self.is_equal:
            return "equal"
        meets = self.left_lands_on == self.right_lands_on and self.left_lands_on is not None
        return "unequal-same-place" if meets else "unequal"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"place": self.left_lands_on}
