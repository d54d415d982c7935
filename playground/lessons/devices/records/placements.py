"""What the experiments answer that say which device a program gets; plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill

from playground.compute.outcome import Outcome
from playground.lessons.devices.records.choices import Moment, Variable
from playground.lessons.devices.records.explained import Explained, Fact, Told
from playground.machines.machine import DeviceName

REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """Where a line of code put its tensor.

    Attributes:
        code: The line as shown.
        device: What ``.device`` answered; None where torch refused.
        is_chosen: The student asked for this line.
    """

    code: str
    device: DeviceName | None
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAnswer:
    """What a program gets on a simulated host with so many GPUs."""

    gpus: int
    device: DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class TryGpuReport(Explained):
    """What ``try_gpu(i)`` gave, and what the next line says that insists on GPU i.

    Attributes:
        requested: The device that was hoped for.
        device: Where the tensor is.
        insisted: Torch's answer to ``Y.cuda(i)``.
    """

    requested: DeviceName
    device: DeviceName
    device_count: int
    is_simulated: bool
    insisted: Outcome

    @property
    def actual(self) -> str:
        """Where the tensor is."""
        return self.device

    @property
    def said(self) -> Outcome:
        """Torch's answer to the line that insists."""
        return self.insisted

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be predicted."""
        return self.requested, "cpu"

    @property
    def fell_back(self) -> bool:
        """Whether the CPU came instead, without a word."""
        return self.device != self.requested

    @property
    def why(self) -> str:
        """Which explanation fits."""
        return "fell-back" if self.fell_back else "got-gpu"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"requested": self.requested, "device": self.device, "count": self.device_count}


@dataclass(frozen=True, slots=True, kw_only=True)
class TryAllGpusReport(Explained):
    """Two ways to write ``try_all_gpus``.

    Attributes:
        as_written: What the version without a fall-back gives.
        as_promised: What the version gives that keeps its docstring's promise.
        first: Python's answer to taking the first device of the former.
    """

    as_written: tuple[DeviceName, ...]
    as_promised: tuple[DeviceName, ...]
    first: Outcome

    @property
    def actual(self) -> str:
        """Whether there is a first device."""
        return "works" if self.first.ok else self.first.error_type

    @property
    def said(self) -> Outcome:
        """Python's answer."""
        return self.first

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Both lists, by label."""
        return {"as-written": _listed(self.as_written), "as-promised": _listed(self.as_promised)}

    @property
    def why(self) -> str:
        """Which explanation fits."""
        return "list-has-first" if self.first.ok else "list-is-empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickDeviceReport(Explained):
    """The device that portable code picks here, and on other hosts."""

    device: DeviceName
    elsewhere: tuple[HostAnswer, ...]

    @property
    def actual(self) -> str:
        """Where the tensor is."""
        return self.device

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What the same program picks on the other hosts, by label."""
        return {f"host-{host.gpus}": host.device for host in self.elsewhere}

    @property
    def why(self) -> str:
        """Which explanation fits."""
        return "picked-cpu" if self.device == "cpu" else "picked-gpu"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"device": self.device}


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleDevicesReport(Explained):
    """Which physical GPU each ``cuda:i`` is.

    Attributes:
        mapping: Physical indices in ``cuda:i`` order.
        physical_gpus: How many there are.
        value: Of the variable; None where it is not set.
    """

    mapping: tuple[int, ...]
    physical_gpus: int
    value: str | None
    variable: Variable
    moment: Moment

    @property
    def actual(self) -> str:
        """The physical GPU that is ``cuda:0``, as an answer."""
        return str(self.mapping[0]) if self.mapping else "no-gpu"

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be predicted."""
        return (*map(str, range(self.physical_gpus)), "no-gpu")

    @property
    def hidden(self) -> tuple[int, ...]:
        """The physical GPUs that a program cannot see."""
        return tuple(index for index in range(self.physical_gpus) if index not in self.mapping)

    @property
    def why(self) -> str:
        """Which explanation fits: one case each, in the order in which a program meets them."""
        if self.physical_gpus == 0:
            return "visible-none-there"
        if self.value is None:
            return "visible-unset"
        if self.variable != Variable.CUDA_VISIBLE_DEVICES:
            return "visible-misspelt"
        if self.moment == Moment.AFTER:
            return "visible-too-late"
        if not self.mapping:
            return "visible-nothing"
        if len(self.mapping) < len(self.value.split(",")):
            return "visible-stopped"
        if self.mapping == tuple(range(len(self.mapping))):
            return "visible-same"
        return "visible-renumbered"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        first = self.mapping[0] if self.mapping else None
        return {"count": len(self.mapping), "first": first, "physical": self.physical_gpus}


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingsReport(Explained):
    """Where each line makes its tensor, of which one was chosen."""

    outcome: Outcome
    device: DeviceName | None
    landings: tuple[Landing, ...]
    is_simulated: bool

    @property
    def actual(self) -> str:
        """Where the tensor is, as an answer."""
        return self.device or REFUSED

    @property
    def said(self) -> Outcome | None:
        """Torch's refusal."""
        return None if self.outcome.ok else self.outcome

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be predicted: every device that some line reached, and a refusal."""
        return (*sorted({each.device for each in self.landings if each.device}), REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCurrentDeviceReport(LandingsReport):
    """Where each line puts its tensor while a GPU is the current one."""

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if not self.outcome.ok:
            return "current-refused"
        chosen = next(landing.code for landing in self.landings if landing.is_chosen)
        if "cuda:0" in chosen:
            return "current-named"
        return "current-plain" if self.device == "cpu" else "current-followed"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"device": self.device}


@dataclass(frozen=True, slots=True, kw_only=True)
class UseDefaultDeviceReport(LandingsReport):
    """Where each line makes its tensor while a default device is set.

    Attributes:
        retired_warning: What PyTorch says to ``set_default_tensor_type``.
    """

    default: DeviceName
    retired_warning: str

    @property
    def printed(self) -> str:
        """PyTorch's warning about the retired setter, in lines that fit a phone."""
        return fill(self.retired_warning, width=44, break_long_words=False)

    @property
    def why(self) -> str:
        """Which explanation fits."""
        if not self.outcome.ok:
            return "default-refused"
        return "default-followed" if self.device == self.default else "default-ignored"

    @property
    def told(self) -> Told:
        """What the explanation mentions."""
        return {"default": self.default, "device": self.device}


def _listed(devices: tuple[DeviceName, ...]) -> str:
    return f"[{', '.join(devices)}]"
