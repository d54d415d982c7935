"""The colours of a theme; a device has the same colour everywhere."""

from dataclasses import dataclass

from playground.machines.machine import DeviceName


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceColour:
    """A device's colours; ``on_fill`` on ``fill`` and ``text`` on paper have contrast 4.5 : 1."""

    fill: str
    on_fill: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """All colours of a figure in one theme.

    Attributes:
        ink: Text and main lines.
        muted: Secondary text; its contrast on paper is 4.5 : 1 too.
        line: Hairlines.
        trouble: Errors.
        success: Success.
        accent: Selected options; the theme's primary colour, which no device has.
    """

    paper: str
    ink: str
    muted: str
    line: str
    trouble: str
    success: str
    accent: str
    devices: tuple[DeviceColour, ...]
    cpu: DeviceColour

    def device(self, name: DeviceName) -> DeviceColour:
        """Return the colour of a device; it repeats after four GPUs, which then have a pattern."""
        if not name.startswith("cuda"):
            return self.cpu
        index = int(name.partition(":")[2] or 0)
        return self.devices[index % len(self.devices)]


LIGHT = Palette(
    paper="#FFFFFF",
    ink="#1C2330",
    muted="#5B6472",
    line="#E3E6EB",
    trouble="#B84A00",
    success="#187645",
    accent="#5B4BC4",
    cpu=DeviceColour(fill="#0072B2", on_fill="#FFFFFF", text="#0067A1"),
    devices=(
        DeviceColour(fill="#E69F00", on_fill="#1C2330", text="#8F5C00"),
        DeviceColour(fill="#009E73", on_fill="#10151C", text="#007A59"),
        DeviceColour(fill="#CC79A7", on_fill="#1C2330", text="#A03F76"),
        DeviceColour(fill="#56B4E9", on_fill="#1C2330", text="#15719F"),
    ),
)
DARK = Palette(
    paper="#12161D",
    ink="#E6E9EF",
    muted="#A3ACBA",
    line="#2B3340",
    trouble="#FF8A4C",
    success="#4FD08D",
    accent="#A498FF",
    cpu=DeviceColour(fill="#4AA8E0", on_fill="#10151C", text="#6CBCEB"),
    devices=(
        DeviceColour(fill="#F0B030", on_fill="#10151C", text="#F0B030"),
        DeviceColour(fill="#2FC498", on_fill="#10151C", text="#2FC498"),
        DeviceColour(fill="#DE94BE", on_fill="#10151C", text="#DE94BE"),
        DeviceColour(fill="#7CC8F2", on_fill="#10151C", text="#7CC8F2"),
    ),
)
