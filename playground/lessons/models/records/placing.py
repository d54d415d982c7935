"""What the steps about places report: where a model is, a move, reading back."""

from dataclasses import dataclass

from playground.explained import Told
from playground.lessons.models.records.choices import Reading, Thing
from playground.lessons.models.records.explained import Explained, Lane
from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class FindModelReport(Explained):
    """Where each parameter of a network is; ``outcome`` is what ``net.device`` answers.

    Attributes:
        parameters: Name and device of each, in the order of ``named_parameters()``.
        collection: The type of what ``net.parameters()`` returns.
        first_count: How many parameters it gave the first time.
        second_count: How many it gave when asked again.
        first_device: What ``next(net.parameters()).device`` says.
    """

    parameters: tuple[tuple[str, DeviceName], ...]
    collection: str
    first_count: int
    second_count: int
    first_device: DeviceName | None
    missing: DeviceName | None

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "first_device": self.first_device,
            "collection": self.collection,
            "first_count": self.first_count,
            "second_count": self.second_count,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and all places."""
        places = dict.fromkeys(device for _, device in self.parameters)
        return {**self.told, "places": ", ".join(places)}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.missing:
            return "no-such-device"
        places = {device for _, device in self.parameters}
        return "model-in-one-place" if len(places) == 1 else "model-in-two-places"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Every parameter where it is."""
        return tuple(
            Lane(label=name, before=device, after=device) for name, device in self.parameters
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveInPlaceReport(Explained):
    """What a name means after ``.to``, for a module and for a tensor.

    Attributes:
        place: Where the thing is that ``.to`` was called on.
        returned_place: Where the returned thing is.
        is_same_object: ``.to`` returned the thing itself.
        keeps_parameter: ``net.weight`` is the object that it was; None for a tensor.
        shares_memory: Its values lie at the address where they were.
    """

    thing: Thing
    start: DeviceName
    place: DeviceName | None
    returned_place: DeviceName | None
    is_same_object: bool | None
    keeps_parameter: bool | None
    shares_memory: bool | None

    @property
    def actual(self) -> str:
        """Where the thing is afterwards."""
        return self.place or "other"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices."""
        return self.devices

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "returned_place": self.returned_place,
            "is_same_object": self.is_same_object,
            "keeps_parameter": self.keeps_parameter,
            "shares_memory": self.shares_memory,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and where the thing was and is."""
        return {**self.told, "start": self.start, "place": self.place}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return "no-such-device"
        if self.returned_place == self.start:
            return "already-there"
        return "module-moves" if self.thing == Thing.MODULE else "tensor-stays"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The thing, and what ``.to`` returned if that is another."""
        name = "net.weight" if self.thing == Thing.MODULE else "x"
        lane = Lane(label=name, before=self.start, after=self.place)
        if self.returned_place is None or self.is_same_object:
            return (lane,)
        return (lane, Lane(label="moved", before=None, after=self.returned_place))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResultReport(Explained):
    """A network's result, and what comes of reading it.

    Attributes:
        result_device: Where the network has left its result.
        place: The device of what was read, ``python_number`` if it is a plain Python value.
        type_name: Its type.
        value: As ``str`` prints it.
        copied_bytes: What went from a GPU to the host.
        waited: Python had to wait for the GPU; measured on a real one, None elsewhere.
    """

    reading: Reading
    result_device: DeviceName | None
    place: str | None
    type_name: str | None
    value: str | None
    copied_bytes: int
    waited: bool | None

    @property
    def actual(self) -> str:
        """Where the answer is."""
        return self.place or "other"

    @property
    def answers(self) -> tuple[str, ...]:
        """All devices, or none, or an error."""
        return (*self.devices, "python_number", "other")

    @property
    def printed(self) -> str:
        """What was read."""
        return self.value or ""

    @property
    def told(self) -> Told:
        """The facts of the step."""
        return {
            "result_device": self.result_device,
            "type_name": self.type_name,
            "copied_bytes": self.copied_bytes if self.outcome.ok else None,
            "waited": self.waited,
        }

    @property
    def mentions(self) -> Told:
        """The facts, and the line."""
        return {**self.told, "line": self.reading.written, "place": self.place}

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if self.result_device is None:
            return "no-such-device"
        if not self.outcome.ok:
            return "array-needs-host"
        if self.result_device == "cpu":
            return "result-on-host"
        if self.place == self.result_device:
            return "nothing-read"
        return "arrives-later" if self.reading == Reading.NON_BLOCKING else "reading-waits"

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The result, and what was read of it."""
        if self.result_device is None:
            return ()
        lanes = [Lane(label="Y", before=self.result_device, after=self.result_device)]
        if self.outcome.ok:
            place = "cpu" if self.place == "python_number" else self.place
            lanes.append(Lane(label=self.type_name or "", before=self.result_device, after=place))
        return tuple(lanes)
