"""What the Trainer takes: devices, the model, the batch."""

from dataclasses import dataclass
from typing import ClassVar

from playground.compute.outcome import Outcome
from playground.compute.settings import Bounds, Settings
from playground.explained import Told
from playground.machines import DeviceName, Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDevicesReport:
    """Which devices the Trainer took, and where things are afterwards."""

    available: int
    gpus: tuple[DeviceName, ...]
    model_device: DeviceName
    given_batch_device: DeviceName
    prepared_batch_device: DeviceName

    @property
    def actual(self) -> str:
        """Where the model is."""
        return self.model_device

    @property
    def facts(self) -> Told:
        """What is shown of it."""
        return {
            "available": self.available,
            "gpus": ", ".join(self.gpus) or None,
            "model_device": self.model_device,
            "given_batch": self.given_batch_device,
            "prepared_batch": self.prepared_batch_device,
        }

    @property
    def why(self) -> str:
        """The reason that fits."""
        if not self.gpus:
            return "stays_on_cpu"
        return "first_of_several" if len(self.gpus) > 1 else "first_of_one"

    @property
    def told(self) -> Told:
        """What the reason mentions."""
        return {"count": len(self.gpus), "available": self.available}


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDevices(Settings[TakeDevicesReport]):
    """Make a Trainer that wants so many GPUs, and let it prepare a model and a batch."""

    BOUNDS: ClassVar[Bounds] = {"num_gpus": {"least": 0, "most": 8}}
    machine: Machine = Machine()
    num_gpus: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareBothReport:
    """What the first step of training came to."""

    outcome: Outcome
    model_device: DeviceName
    batch_device: DeviceName

    @property
    def why(self) -> str:
        """The reason that fits."""
        if not self.outcome.ok:
            return "apart"
        return "together_on_cpu" if self.model_device == "cpu" else "together_on_gpu"

    @property
    def facts(self) -> Told:
        """What is shown of it."""
        return {"model_device": self.model_device, "batch_device": self.batch_device}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareBoth(Settings[PrepareBothReport]):
    """Prepare the model, the batch, both or neither, and feed the one to the other."""

    machine: Machine = Machine()
    prepares_model: bool = True
    prepares_batch: bool = False
